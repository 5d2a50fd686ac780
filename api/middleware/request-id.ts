import type { Context, Next } from 'koa';
import { newSecret } from '../../domain/platform/ids.ts';

export const REQUEST_ID = 'x-request-id';

/** Always one of our own making: an incoming one is ignored. */
export function newRequestId(): string {
  return `req_${newSecret().slice(0, 24)}`;
}

export async function assignRequestId(ctx: Context, next: Next): Promise<void> {
  ctx.set(REQUEST_ID, newRequestId());
  await next();
}

export function requestIdOf(ctx: Context): string {
  return ctx.response.get(REQUEST_ID);
}
