import type { AnyCall, Answer, View } from './route.ts';
import { layout } from './html/layout.ts';
import { signFormToken } from './middleware/csrf-token.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

type Extras = Pick<Answer, 'headers' | 'cookies'> & { status?: number };

export function json(body: object, { status = 200, ...extras }: Extras = {}): Answer {
  return { status, type: JSON_TYPE, body: JSON.stringify(body), ...extras };
}

export function redirect(location: string, { status = 303, ...extras }: Extras = {}): Answer {
  return { status, ...extras, headers: { ...extras.headers, location } };
}

/** A file to keep, written as it is read. */
export function csv(filename: string, stream: AsyncIterable<string>): Answer {
  const headers = { 'content-disposition': `attachment; filename="${filename}"` };
  return { status: 200, type: 'text/csv; charset=utf-8; header=present', headers, stream };
}

export function page(call: AnyCall, view: View, { status = 200, ...extras }: Extras = {}) {
  const { services, cookies, visitor = null } = call;
  const signOutToken =
    visitor && cookies.session ? signFormToken(services, 'session', cookies.session) : null;
  const isSimulated = services.processor.kind === 'simulator';
  const body = layout({ ...view, visitor, signOutToken, isSimulated }).toString();
  return { status, type: HTML_TYPE, body, ...extras };
}
