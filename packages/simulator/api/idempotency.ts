import { hash } from 'node:crypto';
import type pg from 'pg';
import { ApiError } from './api-error.ts';
import { transaction, type Transaction } from '../database.ts';

/** Gives the first answer again to the same key; the row is the lock while the first is made. */
export function answerOnce<HttpResponse extends object>(
  pool: pg.Pool,
  request: { key: string | undefined; path: string; body: string },
  make: (client: Transaction) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { key } = request;
  if (!key) return transaction(pool, make);
  const fingerprint = hash('sha256', `${request.path}\n${request.body}`);
  return transaction(pool, async (client) => {
    const reserved = await client.query(
      `insert into simulator.idempotency (key, fingerprint) values ($1, $2) on conflict do nothing`,
      [key, fingerprint],
    );
    if (reserved.rowCount === 0) return recall<HttpResponse>(client, { key, fingerprint });
    const answer = await make(client);
    await client.query('update simulator.idempotency set answer = $2 where key = $1', [
      key,
      JSON.stringify(answer),
    ]);
    return answer;
  });
}

async function recall<HttpResponse>(
  client: Transaction,
  asked: { key: string; fingerprint: string },
): Promise<HttpResponse> {
  const { rows } = await client.query<{ fingerprint: string; answer: HttpResponse }>(
    'select fingerprint, answer from simulator.idempotency where key = $1',
    [asked.key],
  );
  const kept = rows[0]!;
  if (kept.fingerprint === asked.fingerprint) return kept.answer;
  throw new ApiError(400, {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
  });
}
