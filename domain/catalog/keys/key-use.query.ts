import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { createWriteBuffer } from '../../../platform/database/write-buffer.ts';
import { MINUTE_MS } from '../../shared/instant.ts';

const MOST_KNOWN = 50_000;

// Writes in the order of the key, so that two statements never wait for each other.
const NOTE = `
  update api_key set last_used_at = date_trunc('minute', gatehouse_now())
  where id in (
    select id from api_key
    where id = any($1::uuid[])
      and (last_used_at is null or last_used_at < date_trunc('minute', gatehouse_now()))
    order by id for update)`;

/** Records when keys were last used, to the minute: a process writes each key once a minute. */
export function createKeyUse(pool: pg.Pool, onLoss: (lost: number) => void) {
  const notedIn = new LRUCache<string, number>({ max: MOST_KNOWN });
  const write = async (keyIds: readonly string[]) => {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const unnoted = keyIds.filter((keyId) => notedIn.get(keyId) !== minute);
    if (unnoted.length === 0) return;
    await pool.query({ name: 'note_key_use', text: NOTE, values: [unnoted] });
    for (const keyId of unnoted) notedIn.set(keyId, minute);
  };
  const buffer = createWriteBuffer<string>({
    keyOf: (keyId) => keyId,
    merge: (keyId) => keyId,
    write,
    onLoss,
  });
  return { note: buffer.add, close: buffer.close };
}
