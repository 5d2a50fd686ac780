import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type pg from 'pg';
import type { z } from 'zod';
import { readText } from '../body.ts';
import { transaction, type Transaction } from '../database.ts';
import { ApiError, invalidParameters, noSuch } from './api-error.ts';
import { parseForm } from './form.ts';

/** Stripe's names of what a path names, where they are not its kind. */
const PARAMETERS: Record<string, string> = {
  'checkout.session': 'session',
  payment_intent: 'intent',
  subscription: 'id',
  customer: 'id',
};

/** Finds what the path names. */
export async function findNamed<Row>(
  ctx: Context,
  kind: string,
  find: (id: string) => Promise<Row | undefined>,
): Promise<Row> {
  const id: string = ctx['params'].id;
  const row = await find(id);
  if (row === undefined) {
    throw noSuch(kind, { id, param: PARAMETERS[kind] ?? kind, status: 404 });
  }
  return row;
}

/** A page of a list: one more than asked for is found where there are more. */
export async function list<Shape extends z.ZodType<{ limit: number }>>(
  ctx: Context,
  parameters: Shape,
  find: (query: z.output<Shape>) => Promise<object[]>,
): Promise<object> {
  const query = parseParameters(parameters, ctx.querystring);
  const found = await find(query);
  const { limit } = query;
  return {
    object: 'list',
    url: ctx.path,
    has_more: found.length > limit,
    data: found.slice(0, limit),
  };
}

/** Makes what a form describes, once for each idempotency key. */
export async function create<Shape extends z.ZodType, HttpResponse extends object>(
  ctx: Context,
  { pool, parameters }: { pool: pg.Pool; parameters: Shape },
  make: (client: Transaction, given: z.output<Shape>) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const body = await readText(ctx.req);
  const given = parseParameters(parameters, body);
  const key = ctx.get('idempotency-key');
  if (!key) return transaction(pool, (client) => make(client, given));
  const fingerprint = hash('sha256', `${ctx.path}\n${body}`);
  return transaction(pool, async (client) => {
    // The row is the lock while the first answer is made.
    const reserved = await client.query(
      `insert into simulator.idempotency (key, fingerprint) values ($1, $2) on conflict do nothing`,
      [key, fingerprint],
    );
    if (reserved.rowCount === 0) return recall<HttpResponse>(client, { key, fingerprint });
    const answer = await make(client, given);
    await client.query('update simulator.idempotency set answer = $2 where key = $1', [
      key,
      JSON.stringify(answer),
    ]);
    return answer;
  });
}

async function recall<HttpResponse>(
  client: Transaction,
  { key, fingerprint }: { key: string; fingerprint: string },
): Promise<HttpResponse> {
  const { rows } = await client.query<{ fingerprint: string; answer: HttpResponse }>(
    'select fingerprint, answer from simulator.idempotency where key = $1',
    [key],
  );
  const kept = rows[0]!;
  if (kept.fingerprint === fingerprint) return kept.answer;
  throw new ApiError(400, {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
  });
}

export function parseParameters<Shape extends z.ZodType>(
  shape: Shape,
  body: string,
): z.output<Shape> {
  const result = shape.safeParse(parseForm(body), { reportInput: true });
  if (!result.success) throw invalidParameters(result.error);
  return result.data;
}
