import type { Context, Next } from 'koa';
import type { Logger } from '../../domain/platform/process/log.ts';
import { requestIdOf } from './request-id.ts';

/** One line a request: no query, no body, no cookie, no credential, and the path only as its pattern. */
export function logRequests(logger: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    await next();
    const line = {
      method: ctx.method,
      route: ctx['_matchedRoute'] ?? null,
      status: ctx.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: requestIdOf(ctx),
    };
    logger[ctx.status >= 500 ? 'error' : 'info'](line, 'request');
  };
}
