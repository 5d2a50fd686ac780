import koaCors from '@koa/cors';
import type { Middleware } from 'koa';
import type { Route } from '../route.ts';

const EXPOSED = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-request-id',
];

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
  return koaCors({
    origin: '*',
    allowMethods: method,
    allowHeaders: 'authorization, content-type',
    exposeHeaders: EXPOSED.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
}
