import type { Context } from 'koa';

/** A prefetch by a browser or mail scanner neither buys nor consents. */
export function isPrefetch(ctx: Context): boolean {
  const purpose = ctx.get('sec-purpose') || ctx.get('purpose') || ctx.get('x-moz');
  return ctx.method === 'HEAD' || /^prefetch\b/i.test(purpose);
}
