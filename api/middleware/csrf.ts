import type { Context } from 'koa';
import { Failure } from '../errors.ts';
import { isPlainLoopback } from '../account/cookies.ts';
import { FORM_TOKEN_FIELD, isFormTokenRight, type FormCookie } from './csrf-token.ts';
import type { AnyCall } from '../route.ts';

const MESSAGE = 'This form has expired or came from elsewhere. Please go back and try again.';

/** A form that another site submits is refused before it is read. */
export function requireSameOrigin(ctx: Context, baseUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const isSameSite = site === '' || site === 'same-origin' || site === 'none';
  const isOurs = origin === '' || isOwnOrigin(origin, baseUrl);
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

/** On plain loopback the same server has several names; elsewhere the base address is the only one. */
function isOwnOrigin(origin: string, baseUrl: string): boolean {
  const own = new URL(baseUrl);
  if (origin === own.origin) return true;
  const asked = URL.parse(origin);
  return (
    asked !== null && isPlainLoopback(baseUrl) && isPlainLoopback(origin) && asked.port === own.port
  );
}
