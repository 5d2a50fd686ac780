import type { Middleware } from 'koa';

/** Wraps the router's own: `OPTIONS` is allowed everywhere and has no body. */
export function allowedMethods(): Middleware {
  return async (ctx, next) => {
    await next();
    const allow = ctx.response.get('allow');
    if (!allow) return;
    const methods = [...new Set([...allow.split(', '), 'OPTIONS'])].toSorted();
    ctx.set('allow', methods.join(', '));
    if (ctx.method === 'OPTIONS') ctx.status = 204;
  };
}
