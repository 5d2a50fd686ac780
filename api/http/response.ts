import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { setCookie } from './cookies.ts';
import { dropFlash, keepFlash, readFlash } from './flash.ts';
import { layout } from '../html/layout.ts';
import type { Flash } from '../html/notices.ts';
import type { Side } from '../html/side.ts';
import { csrfToken } from './csrf.ts';
import { encodeFor, type CsvQuery } from './csv.ts';
import { COPY_POLICY } from './security-headers.ts';
import type { RouteContext, HttpResponse, View } from './route.ts';
import type { Services } from '../services.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

type Extras = Pick<HttpResponse, 'headers' | 'cookies'> & { status?: number };

export function json(body: object, { status = 200, ...extras }: Extras = {}): HttpResponse {
  return { status, type: JSON_TYPE, body: JSON.stringify(body), ...extras };
}

export function redirect(
  target: string | Flash,
  { status = 303, ...extras }: Extras = {},
): HttpResponse {
  const { location, ...said } = typeof target === 'string' ? { location: target } : target;
  const flash = 'notice' in said ? { flash: { ...said, location } } : {};
  return { status, ...extras, ...flash, headers: { ...extras.headers, location } };
}

/** A file to keep, written as it is read: the lines as the query wants them. */
export function csv(filename: string, lines: AsyncIterable<string>, query: CsvQuery): HttpResponse {
  const headers = { 'content-disposition': `attachment; filename="${filename}"` };
  const stream = encodeFor(query, lines);
  return { status: 200, type: 'text/csv; charset=utf-8; header=present', headers, stream };
}

/** A stored gzip file to keep, as its bytes are. */
export function gzip(filename: string, stream: AsyncIterable<Uint8Array>): HttpResponse {
  const headers = { 'content-disposition': `attachment; filename="${filename}"` };
  return { status: 200, type: 'application/gzip', headers, stream };
}

export function page(
  context: RouteContext,
  view: View,
  { status = 200, ...extras }: Extras = {},
): HttpResponse {
  const { services, cookies, currentUser = null } = context;
  const shown = readFlash(context.ctx, { signer: services.signer, given: cookies.notice });
  const { session } = cookies;
  const { side, ...others } = view;
  const write = (beside: Side | undefined) =>
    writePage(services, { ...others, side: beside, currentUser, session, notice: shown });
  const body = typeof side === 'function' ? async () => write(await side()) : write(side);
  const { showsSecret = false, hasCopyButtons = false } = view;
  const headers = {
    ...(hasCopyButtons ? { 'content-security-policy': COPY_POLICY } : {}),
    ...extras.headers,
    // Nobody else is shown the notice.
    ...(shown === null ? {} : { 'cache-control': 'no-store' }),
  };
  const ended = shown === null ? {} : { flash: null };
  return { status, type: HTML_TYPE, body, showsSecret, ...ended, ...extras, headers };
}

type Page = Omit<Parameters<typeof layout>[0], 'baseUrl' | 'signOutToken' | 'isSimulated'> & {
  session: string | null;
};

/** Writes a page with the layout of all pages. */
export function writePage(services: Services, { session, ...view }: Page): string {
  const token = view.currentUser && session ? csrfToken(services, 'session', session) : null;
  const isSimulated = services.processor.kind === 'simulator';
  const { baseUrl } = services.config;
  return layout({ ...view, baseUrl, signOutToken: token, isSimulated }).toString();
}

/** Leaves the response with Koa, which sends it. */
export async function writeResponse(
  ctx: Context,
  services: Pick<Services, 'config' | 'signer'>,
  response: HttpResponse,
): Promise<void> {
  const { status, headers = {}, cookies = [], type, stream, showsSecret, flash } = response;
  const body = typeof response.body === 'function' ? await response.body() : response.body;
  // Before the status, which Koa makes 204, and never before a stream, whose framing it takes away.
  if (stream === undefined && body === undefined) ctx.body = null;
  ctx.status = status;
  const { vary = '', ...others } = headers;
  ctx.set(others);
  if (vary) ctx.vary(vary);
  for (const cookie of cookies) setCookie(ctx, services.config.baseUrl, cookie);
  if (flash) keepFlash(ctx, services, flash);
  if (flash === null) dropFlash(ctx, services);
  // The length of a compressed page may tell what is in it. A compressed stream that fails would
  // never end: only Koa's own pipeline destroys the connection.
  if (showsSecret || stream) ctx['compress'] = false;
  if (response.errorCode) ctx.state['errorCode'] = response.errorCode;
  if (type) ctx.set('content-type', type);
  if (stream) ctx.body = Readable.from(stream, { objectMode: false });
  else if (body !== undefined) ctx.body = body;
}
