import type { Context } from 'koa';
import type { Logger } from '../../platform/log.ts';

type Served = { ctx: Context; requestId: string; startedAt: number };

/** One line a request: no query, no body, no cookie, no credential, and the path only as its pattern. */
export function logRequest(logger: Logger, { ctx, requestId, startedAt }: Served): void {
  const status = ctx.res.statusCode;
  const line = {
    method: ctx.method,
    route: ctx.state['pattern'] ?? null,
    status,
    durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    requestId,
  };
  logger[status >= 500 ? 'error' : 'info'](line, 'request');
}
