import type { Context } from 'koa';
import type pg from 'pg';
import type { z } from 'zod';
import { readText } from '../body.ts';
import type { Transaction } from '../database.ts';
import { invalidParameters } from './api-error.ts';
import { parseForm } from './form.ts';
import { answerOnce } from './idempotency.ts';

/** Makes what a form describes, once for each idempotency key. */
export async function create<Shape extends z.ZodType, HttpResponse extends object>(
  ctx: Context,
  { pool, parameters }: { pool: pg.Pool; parameters: Shape },
  make: (client: Transaction, given: z.output<Shape>) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const body = await readText(ctx.req);
  const given = parseParameters(parameters, body);
  const request = { key: ctx.get('idempotency-key'), path: ctx.path, body };
  return answerOnce(pool, request, (client) => make(client, given));
}

/** What was found, one more than asked for where there are more, as a page of a list. */
export function presentPage<Row>(
  found: readonly Row[],
  page: { url: string; limit: number; present(row: Row): object },
): object {
  const { url, limit, present } = page;
  const data = found.slice(0, limit).map((row) => present(row));
  return { object: 'list', url, has_more: found.length > limit, data };
}

export function parseParameters<Shape extends z.ZodType>(
  shape: Shape,
  body: string,
): z.output<Shape> {
  const result = shape.safeParse(parseForm(body), { reportInput: true });
  if (!result.success) throw invalidParameters(result.error);
  return result.data;
}
