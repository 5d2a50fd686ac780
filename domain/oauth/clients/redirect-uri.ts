// Redirect URIs: what may be registered (RFC 9700 2.1, RFC 8252 7).
import { isLoopbackHost } from '../../shared/loopback.ts';

export const CLIENT_KINDS = ['confidential', 'public', 'native'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export type UriRefusal =
  | 'not_absolute'
  | 'too_long'
  | 'fragment'
  | 'userinfo'
  | 'scheme'
  | 'wildcard'
  | 'localhost'
  | 'not_loopback'
  | 'control';

const MAX_LENGTH = 2_048;
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;
/** The name may lead a native app's code to an address where another program listens (RFC 8252 8.3). */
const LOCALHOST = /(^|\.)localhost\.?$/i;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** The reason against a URI, or null. */
export function decideRedirectUri(uri: string, kind: ClientKind): UriRefusal | null {
  if (uri.length > MAX_LENGTH) return 'too_long';
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f-\u{10ffff}\\"<>^`{|}]/u.test(uri)) return 'control';
  if (uri.includes('*')) return 'wildcard';
  if (!URL.canParse(uri)) return 'not_absolute';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'fragment';
  if (username || password || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) return 'userinfo';
  if (kind === 'native' && /^https?:$/.test(protocol) && LOCALHOST.test(hostname))
    return 'localhost';
  if (protocol === 'https:' && /^https:\/\/[^/?]/i.test(uri)) return null;
  if (protocol === 'http:' && LOOPBACK_NAMES.includes(hostname)) return null;
  return kind === 'native' && REVERSE_DOMAIN.test(protocol) ? null : 'scheme';
}

/** True for a URI that leads to the machine of whoever signs in. */
export function isLoopbackUri(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return /^https?:$/.test(protocol) && isLoopbackHost(hostname);
}

/** The redirect URI with parameters added to its query. */
export function withParameters(uri: string, parameters: Record<string, string | null>): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (!uri.includes('?')) return `${uri}?${added}`;
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`;
}
