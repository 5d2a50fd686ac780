import type pg from 'pg';
import { createBuffer } from '../platform/buffer.ts';

const MINUTE_MS = 60_000;
const MOST_KNOWN = 50_000;

// In the order of the key, so that two of them never wait for each other.
const NOTE = `
  update api_key set last_used_at = date_trunc('minute', gatehouse_now())
  where id in (
    select id from api_key
    where id = any($1::uuid[])
      and (last_used_at is null or last_used_at < date_trunc('minute', gatehouse_now()))
    order by id for update)`;

/** When keys were last used, to the minute: a process writes it once a minute for each of them. */
export function createKeyUse(pool: pg.Pool, onLoss: (lost: number) => void) {
  const notedIn = new Map<string, number>();
  const buffer = createBuffer<string>({
    keyOf: (keyId) => keyId,
    merge: (keyId) => keyId,
    write: (keyIds) => pool.query({ name: 'note_key_use', text: NOTE, values: [keyIds] }),
    onLoss,
  });
  return {
    note(keyId: string): void {
      const minute = Math.floor(Date.now() / MINUTE_MS);
      if (notedIn.get(keyId) === minute) return;
      if (notedIn.size >= MOST_KNOWN) notedIn.clear();
      notedIn.set(keyId, minute);
      buffer.add(keyId);
    },
    close: () => buffer.close(),
  };
}
