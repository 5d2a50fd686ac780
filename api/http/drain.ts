import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';

const TIMEOUT_MS = 2_000;

/**
 * A body that no route has read is discarded for a while, then its connection closes: closing over
 * unread bytes would make the caller's network stack throw the response away.
 */
export function drainUnreadBody(): Middleware {
  return async (ctx, next) => {
    await next();
    const { req } = ctx;
    if (req.complete || req.destroyed || !hasBody(req)) return;
    ctx.set('connection', 'close');
    req.resume();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await once(req, 'end', { signal }).catch(() => undefined);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
