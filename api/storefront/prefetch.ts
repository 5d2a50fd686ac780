import type { Context } from 'koa';

/** Browsers and mail scanners that look ahead buy and consent to nothing. */
export function isPrefetch(ctx: Context): boolean {
  const purpose = ctx.get('sec-purpose') || ctx.get('purpose') || ctx.get('x-moz');
  return ctx.method === 'HEAD' || /^prefetch\b/i.test(purpose);
}
