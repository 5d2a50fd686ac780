import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import type { Answer } from '../route.ts';
import { headersOf, type Headers } from './headers.ts';

const LINGER_MS = 2_000;
const WITHOUT_BODY = new Set([204, 304]);

/** Head and body in one write, where the body is text. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  const { req, res } = ctx;
  const { status, body = '' } = answer;
  const isUnread = !req.complete && hasBody(req);
  const headers = { ...headersOf(ctx), ...toHeaders(answer) };
  if (isUnread) headers['connection'] = 'close';
  res.writeHead(status, headers);
  if (answer.stream) await endWithStream(req, res, answer.stream);
  else if (isUnread) await endAfterUnreadBody(req, res, body);
  else res.end(body);
}

function toHeaders({ status, headers, cookies, type, body, stream }: Answer): Headers {
  const all: Headers = { ...headers };
  if (cookies) all['set-cookie'] = cookies;
  if (type) all['content-type'] = type;
  if (!WITHOUT_BODY.has(status) && !stream)
    all['content-length'] = String(Buffer.byteLength(body ?? ''));
  return all;
}

/** As fast as it is read. What breaks in the middle breaks the connection: nobody takes a part for all. */
async function endWithStream(
  request: IncomingMessage,
  response: ServerResponse,
  stream: AsyncIterable<string>,
): Promise<void> {
  if (request.method === 'HEAD') return void response.end();
  await pipeline(stream, response).catch((fault: NodeJS.ErrnoException) => {
    // Its reader has gone.
    if (fault.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw fault;
  });
}

/**
 * A request that was answered before its body had come: the answer goes out at once, then the rest
 * is discarded for a while before the connection closes. Closing over unread bytes would make the
 * caller's network stack throw the answer away, and a kept connection would hang.
 */
async function endAfterUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Buffer,
): Promise<void> {
  response.flushHeaders(); // where there is no body to write them with
  response.write(body);
  request.resume();
  const deadline = AbortSignal.timeout(LINGER_MS);
  await once(request, 'close', { signal: deadline }).catch(() => undefined);
  response.end();
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
