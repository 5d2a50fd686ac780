import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';

const LINGER_MS = 2_000;

/**
 * A request that was answered before its body had come: the answer goes out at once, then the rest
 * is discarded for a while before the connection closes. Closing over unread bytes would make the
 * caller's network stack throw the answer away, and a kept connection would hang.
 */
export async function closeAfterUnreadBody(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.req.complete || !hasBody(ctx.req)) return;
  ctx.set('connection', 'close');
  const text = ctx.body;
  if (typeof text !== 'string' && !Buffer.isBuffer(text)) return;
  const bytes = Buffer.from(text);
  const { type } = ctx.response;
  ctx.body = Readable.from(answerThenDiscard(bytes, ctx.req));
  ctx.type = type;
  ctx.length = bytes.length;
}

async function* answerThenDiscard(bytes: Buffer, request: IncomingMessage) {
  yield bytes;
  request.resume();
  const deadline = AbortSignal.timeout(LINGER_MS);
  await once(request, 'close', { signal: deadline }).catch(() => undefined);
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
