import type pg from 'pg';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { createBuffer } from '../../../platform/database/write-buffer.ts';

const MINUTE_MS = 60_000;
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
  const notedIn = new Map<string, number>();
  const write = async (keyIds: readonly string[]) => {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const news = keyIds.filter((keyId) => notedIn.get(keyId) !== minute);
    if (news.length === 0) return;
    await pool.query({ name: 'note_key_use', text: NOTE, values: [toArrayParameter(news)] });
    if (notedIn.size + news.length > MOST_KNOWN) notedIn.clear();
    for (const keyId of news) notedIn.set(keyId, minute);
  };
  const buffer = createBuffer<string>({
    keyOf: (keyId) => keyId,
    merge: (keyId) => keyId,
    write,
    onLoss,
  });
  return { note: buffer.add, close: buffer.close };
}
