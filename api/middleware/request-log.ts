import type { Middleware } from 'koa';
import type { Logger } from '../../platform/log.ts';

/** One line a request: no query, no body, no cookie, no credential, and the path only as its pattern. */
export function requestLog(logger: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const line = {
      method: ctx.method,
      route: ctx['_matchedRoute'] ?? null,
      status: ctx.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: ctx.state['requestId'],
    };
    logger[ctx.status >= 500 ? 'error' : 'info'](line, 'request');
  };
}
