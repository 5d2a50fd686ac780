import koaCors from '@koa/cors';
import type { Middleware } from 'koa';
import type { Route } from './route.ts';

const EXPOSED = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-request-id',
];

/**
 * Answers every method of a cross-origin path, so that a program in a browser can read a 405 too.
 * No credentials are allowed: these routes read none of the browser's own.
 */
export function cors(routes: readonly Route[]): Middleware {
  const byPath = new Map(
    routes
      .filter(({ isCrossOrigin }) => isCrossOrigin)
      .map(({ path, method }) => [path, allowOrigins(method)]),
  );
  return (ctx, next) => byPath.get(ctx.path)?.(ctx, next) ?? next();
}

// Without `allowHeaders` a preflight is allowed the names that it asks for: tracing and other programs
// of a page add headers of their own to its requests.
const allowOrigins = (method: string): Middleware =>
  koaCors({
    origin: '*',
    allowMethods: method,
    exposeHeaders: EXPOSED.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
