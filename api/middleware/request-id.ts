import type { Context, Next } from 'koa';
import { randomText } from '../../domain/platform/ids.ts';

export const REQUEST_ID = 'x-request-id';

/** Always one of our own making: an incoming one is ignored. */
export function newRequestId(): string {
  return `req_${randomText(24)}`;
}

export function assignRequestId(ctx: Context, next: Next): Promise<void> {
  ctx.set(REQUEST_ID, newRequestId());
  return next();
}

export function requestIdOf(ctx: Context): string {
  return ctx.response.get(REQUEST_ID);
}
