import type { Context, Middleware } from 'koa';
import type { Caller } from '../../domain/request-log/record-requests.command.ts';
import type { RequestRecorder } from '../../domain/request-log/request-recorder.command.ts';
import { hashCredential, isWellFormedCredential } from '../../domain/shared/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { readBearer, TAKEN } from './credential.ts';

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

/** Names the caller in whose log the request belongs, as soon as the credential is known. */
export function nameCaller(ctx: Context, caller: Caller): void {
  ctx.state['caller'] = caller;
}

/**
 * What a product's team sees of its requests: no query, no body, no address, no credential. The name
 * of the field at fault is one of the route's own.
 */
export function apiRequests(requests: RequestRecorder): Middleware {
  return async (ctx, next) => {
    await next();
    const caller = (ctx.state['caller'] as Caller | undefined) ?? findRefused(ctx as Context);
    if (!caller) return;
    requests.note({
      caller,
      route: `${ctx.method} ${ctx['_matchedRoute']}`,
      status: ctx.status,
      errorCode: (ctx.state['errorCode'] as string | undefined) ?? null,
      param: (ctx.state['errorParam'] as string | undefined) ?? null,
      isOwnTeam: ctx.state['isOwnTeam'] === true,
      requestId: ctx.state['requestId'] as string,
    });
  };
}

/** A credential of ours that no longer works still tells whose it was. */
function findRefused(ctx: Context): Caller | null {
  if (ctx.status !== 401 || !String(ctx['_matchedRoute']).startsWith('/api/v1/')) return null;
  const given = readBearer(ctx.get('authorization')) ?? '';
  const isOurs = TAKEN.key_or_token.some((prefix) => isWellFormedCredential(given, prefix));
  return isOurs ? { refusedHash: hashCredential(given) } : null;
}
