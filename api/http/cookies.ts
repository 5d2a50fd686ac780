import type { Context, Middleware } from 'koa';
import { isWellFormedCredential } from '../../domain/shared/ids.ts';
import { isLoopbackHost } from '../../domain/shared/loopback.ts';
import type { Services } from '../services.ts';

const SESSION_MAX_AGE_S = 30 * 24 * 60 * 60;
const PRE_SESSION_MAX_AGE_S = 60 * 60;
/** The lifetime of the link that confirms the address. */
const SIGN_UP_MAX_AGE_S = 24 * 60 * 60;

/** The longest time for which browsers keep a cookie. */
const DEVICE_MAX_AGE_S = 400 * 24 * 60 * 60;
const LONGEST_DEVICE = 1_000;
const LONGEST_NOTICE = 100;
const LONGEST_ENTERED = 1_000;

const NO_COOKIES = {
  session: null,
  preSession: null,
  signUp: null,
  device: null,
  /** The signed name of a notice, as it came. */
  notice: null,
  /** The signed address that a form of this browser was sent with, as it came. */
  entered: null,
};

export type Cookie = { name: string; value: string; maxAgeS: number };

/** The tokens of the caller's cookies; null where a cookie is missing or malformed. */
export type Cookies = Record<keyof typeof NO_COOKIES, string | null>;

export function cookies({ config }: Services): Middleware {
  return (ctx, next) => {
    ctx.state['cookies'] = readCookies(ctx, config.baseUrl);
    return next();
  };
}

export function readCookies(ctx: Context, baseUrl: string): Cookies {
  if (ctx.get('cookie') === '') return NO_COOKIES; // programs send none
  const readText = (name: string) => ctx.cookies.get(cookieName(baseUrl, name), { signed: false });
  const read = (name: string) => {
    const token = readText(name);
    return token !== undefined && isWellFormedCredential(token, 'gs_') ? token : null;
  };
  const device = readText('device');
  return {
    session: read('session'),
    preSession: read('pre_session'),
    signUp: read('sign_up'),
    device: device !== undefined && device.length <= LONGEST_DEVICE ? device : null,
    notice: readText('notice')?.slice(0, LONGEST_NOTICE) ?? null,
    entered: readText('entered_address')?.slice(0, LONGEST_ENTERED) ?? null,
  };
}

/** Returns null where the browser sent none. */
export function readCookie(ctx: Context, baseUrl: string, name: string): string | null {
  return ctx.cookies.get(cookieName(baseUrl, name), { signed: false }) ?? null;
}

export function sessionCookie(token: string): Cookie {
  return { name: 'session', value: token, maxAgeS: SESSION_MAX_AGE_S };
}

export function preSessionCookie(token: string): Cookie {
  return { name: 'pre_session', value: token, maxAgeS: PRE_SESSION_MAX_AGE_S };
}

/** Marks the browser in which somebody has signed up, whether or not that made an account. */
export function signUpCookie(token: string): Cookie {
  return { name: 'sign_up', value: token, maxAgeS: SIGN_UP_MAX_AGE_S };
}

/** Lists the accounts to which somebody has signed in with this browser. It opens none of them. */
export function deviceCookie(value: string): Cookie {
  return { name: 'device', value, maxAgeS: DEVICE_MAX_AGE_S };
}

export const NO_SESSION_COOKIE: Cookie = { name: 'session', value: '', maxAgeS: 0 };

export const NO_PRE_SESSION_COOKIE: Cookie = { name: 'pre_session', value: '', maxAgeS: 0 };

export function setCookie(ctx: Context, baseUrl: string, cookie: Cookie): void {
  const { name, value, maxAgeS } = cookie;
  // The proxy in front may end TLS: the configured address decides, not the connection.
  ctx.cookies.secure = !isPlainLoopback(baseUrl);
  ctx.cookies.set(cookieName(baseUrl, name), value, {
    maxAge: maxAgeS * 1_000,
    sameSite: 'lax',
    overwrite: true,
    signed: false,
  });
}

function cookieName(baseUrl: string, name: string): string {
  return isPlainLoopback(baseUrl) ? `gatehouse_${name}` : `__Host-gatehouse_${name}`;
}

/** True on a plain loopback address alone: there browsers would not send a Secure cookie back. */
export function isPlainLoopback(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
