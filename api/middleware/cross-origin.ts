import type { Context, Next } from 'koa';
import type { Route } from '../route.ts';

const EXPOSED = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-request-id',
].join(', ');

/** CORS without credentials, for routes that read none of the browser's own. */
export function allowOtherOrigins(routes: readonly Route[]) {
  const open = routes.filter(({ isCrossOrigin }) => isCrossOrigin);
  const methods = new Map(open.map(({ path, method }) => [path, method]));
  return (ctx: Context, next: Next): Promise<void> => {
    const method = methods.get(ctx.path);
    if (method !== undefined) {
      ctx.set('access-control-allow-origin', '*');
      ctx.set('access-control-expose-headers', EXPOSED);
      if (ctx.method === 'OPTIONS') {
        ctx.set('access-control-allow-methods', method);
        ctx.set('access-control-allow-headers', 'authorization, content-type');
        ctx.set('access-control-max-age', '600');
      }
    }
    return next();
  };
}
