import type { Context, Middleware } from 'koa';
import { newCredential, randomText } from '../../domain/shared/ids.ts';
import { isPlainLoopback, preSessionCookie, type Cookie, type Cookies } from './cookies.ts';
import type { RouteContext } from './route.ts';
import { HttpError } from './errors.ts';
import type { Services } from '../services.ts';

/** The cookie that a form's token is bound to. */
export type FormCookie = 'session' | 'preSession';

/** The hidden field that proves that a form came from a page of ours in the same browser. */
export const CSRF_FIELD = 'csrf';

const SALT_LENGTH = 22;
const MESSAGE = 'This form has expired or came from elsewhere. Please go back and try again.';

/**
 * Salts the token anew in each response, so that the length of a compressed page does not reveal
 * it.
 */
export function csrfToken({ signer }: Services, kind: FormCookie, cookie: string): string {
  const salt = randomText(SALT_LENGTH);
  return `${salt}.${signer.sign(PURPOSES[kind], `${salt}.${cookie}`)}`;
}

/** The cookie and the hidden token of a form for anyone; the cookie is made where there is none. */
export function openForm({ services, cookies }: RouteContext): {
  token: string;
  cookies: Cookie[];
} {
  const cookie = cookies.preSession ?? newCredential('gs_');
  return {
    token: csrfToken(services, 'preSession', cookie),
    cookies: [preSessionCookie(cookie)],
  };
}

/** The CSRF token of a signed-in person's form. */
export function sessionFormToken({ services, cookies }: RouteContext): string {
  return csrfToken(services, 'session', cookies.session ?? '');
}

const PURPOSES = { session: 'session_form', preSession: 'pre_session_form' } as const;

/** A form that another site submits is refused before it is read. */
export function sameOrigin({ config }: Services): Middleware {
  return (ctx, next) => {
    const site = ctx.get('sec-fetch-site');
    const origin = ctx.get('origin');
    const isSameSite = site === '' || site === 'same-origin' || site === 'none';
    const isOurs = origin === '' || isOwnOrigin(origin, config.baseUrl);
    if (!isSameSite || !isOurs) throw new HttpError('forbidden', { message: MESSAGE });
    return next();
  };
}

export function csrf(services: Services, kind: FormCookie): Middleware {
  return (ctx, next) => {
    requireCsrfToken(ctx, services, { kind, fields: ctx.state['fields'] });
    return next();
  };
}

/** The token of the page that held the form, bound to a cookie of the same browser. */
export function requireCsrfToken(
  ctx: Context,
  { signer }: Services,
  { kind, fields }: { kind: FormCookie; fields: unknown },
): void {
  const token = (fields as Record<string, unknown>)[CSRF_FIELD];
  const cookie = (ctx.state['cookies'] as Cookies)[kind];
  const [salt, signature = '', ...rest] = typeof token === 'string' ? token.split('.') : [];
  const isRight =
    cookie !== null &&
    rest.length === 0 &&
    signer.isSigned(PURPOSES[kind], `${salt}.${cookie}`, signature);
  if (!isRight) throw new HttpError('forbidden', { message: MESSAGE });
}

/** True for the base address. A server on plain loopback has several names. */
function isOwnOrigin(origin: string, baseUrl: string): boolean {
  const own = new URL(baseUrl);
  if (origin === own.origin) return true;
  const given = URL.parse(origin);
  return (
    given !== null && isPlainLoopback(baseUrl) && isPlainLoopback(origin) && given.port === own.port
  );
}
