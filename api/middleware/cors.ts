import koaCors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import type { Route } from '../route.ts';

const EXPOSED = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-request-id',
];

const REQUESTED_NAMES = 'access-control-request-headers';
/** In characters, of all names together. */
const MOST_NAMES = 1_024;

/**
 * For every method of a cross-origin path, so that a program in a browser can read a 405 too. Without
 * credentials: these routes read none of the browser's own.
 */
export function cors(routes: readonly Route[]): Middleware {
  const byPath = new Map(
    routes
      .filter(({ isCrossOrigin }) => isCrossOrigin)
      .map(({ path, method }) => [path, allowOrigins(method)]),
  );
  return (ctx, next) => byPath.get(ctx.path)?.(ctx, next) ?? next();
}

function allowOrigins(method: string): Middleware {
  // Without `allowHeaders` a preflight is allowed the names that it asks for: tracing and other
  // programs of a page add headers of their own to its requests.
  const allow = koaCors({
    origin: '*',
    allowMethods: method,
    exposeHeaders: EXPOSED.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
  return (ctx, next) => {
    if (ctx.method === 'OPTIONS') dropOverlongNames(ctx);
    return allow(ctx, next);
  };
}

/** A preflight that asks for more is allowed no header. */
function dropOverlongNames(ctx: Context): void {
  ctx.vary(REQUESTED_NAMES);
  if (ctx.get(REQUESTED_NAMES).length > MOST_NAMES) delete ctx.req.headers[REQUESTED_NAMES];
}
