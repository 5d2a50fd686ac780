import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { setCookie } from './account/cookies.ts';
import { layout } from './html/layout.ts';
import { csrfToken } from './middleware/csrf.ts';
import type { RouteContext, HttpResponse, View } from './route.ts';
import type { Services } from './services.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

type Extras = Pick<HttpResponse, 'headers' | 'cookies'> & { status?: number };

export function json(body: object, { status = 200, ...extras }: Extras = {}): HttpResponse {
  return { status, type: JSON_TYPE, body: JSON.stringify(body), ...extras };
}

export function redirect(location: string, { status = 303, ...extras }: Extras = {}): HttpResponse {
  return { status, ...extras, headers: { ...extras.headers, location } };
}

/** A file to keep, written as it is read. */
export function csv(filename: string, stream: AsyncIterable<string>): HttpResponse {
  const headers = { 'content-disposition': `attachment; filename="${filename}"` };
  return { status: 200, type: 'text/csv; charset=utf-8; header=present', headers, stream };
}

export function page(
  context: RouteContext,
  view: View,
  { status = 200, ...extras }: Extras = {},
): HttpResponse {
  const { services, cookies, currentUser = null } = context;
  const signOutToken =
    currentUser && cookies.session ? csrfToken(services, 'session', cookies.session) : null;
  const isSimulated = services.processor.kind === 'simulator';
  const body = layout({ ...view, currentUser, signOutToken, isSimulated }).toString();
  const { showsSecret = false } = view;
  return { status, type: HTML_TYPE, body, showsSecret, ...extras };
}

/** Leaves the response with Koa, which sends it. */
export function writeResponse(
  ctx: Context,
  { config }: Pick<Services, 'config'>,
  response: HttpResponse,
): void {
  const { status, headers = {}, cookies = [], type, body, stream, showsSecret } = response;
  // Before the status, which Koa makes 204, and never before a stream, whose framing it takes away.
  if (stream === undefined && body === undefined) ctx.body = null;
  ctx.status = status;
  const { vary = '', ...others } = headers;
  ctx.set(others);
  if (vary) ctx.vary(vary);
  for (const cookie of cookies) setCookie(ctx, config.baseUrl, cookie);
  // The length of a compressed page may tell what is in it. A compressed stream that fails would
  // never end: only Koa's own pipeline destroys the connection.
  if (showsSecret || stream) ctx['compress'] = false;
  if (response.errorCode) ctx.state['errorCode'] = response.errorCode;
  if (type) ctx.set('content-type', type);
  if (stream) ctx.body = Readable.from(stream, { objectMode: false });
  else if (body !== undefined) ctx.body = body;
}
