import type { Context } from 'koa';
import { Failure } from '../errors.ts';
import { FORM_TOKEN_FIELD, isFormTokenRight, type FormCookie } from '../identity/form-token.ts';
import type { AnyCall } from '../route.ts';

const MESSAGE = 'This form has expired or came from elsewhere. Please go back and try again.';

/** A form that another site submits is refused before it is read. */
export function requireSameOrigin(ctx: Context, baseUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const isSameSite = site === '' || site === 'same-origin' || site === 'none';
  const isOurs = origin === '' || isOwnOrigin(origin, { host: ctx.get('host'), baseUrl });
  if (!isSameSite || !isOurs) throw new Failure('forbidden', { message: MESSAGE });
}

/** The token of the page that held the form, bound to a cookie of the same browser. */
export function requireFormToken(call: AnyCall, kind: FormCookie, fields: unknown): void {
  const token = (fields as Record<string, unknown>)[FORM_TOKEN_FIELD];
  const cookie = kind === 'session' ? call.cookies.session : call.cookies.preSession;
  const isRight =
    typeof token === 'string' && isFormTokenRight(call.services, { kind, cookie, token });
  if (!isRight) throw new Failure('forbidden', { message: MESSAGE });
}

function isOwnOrigin(origin: string, own: { host: string; baseUrl: string }): boolean {
  if (origin === new URL(own.baseUrl).origin) return true;
  return URL.parse(origin)?.host === own.host && own.host !== '';
}
