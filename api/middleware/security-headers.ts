import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

const SOURCES = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Pages run no script at all. Browsers apply `form-action` to redirects too: forms stay with us. */
const PAGE_POLICY = [...SOURCES, "form-action 'self'"].join('; ');

/** Passkeys need a script of ours; what it asks for comes from us. */
const PASSKEYS = ["script-src 'self'", "connect-src 'self'"];

export const PASSKEY_POLICY = [...SOURCES, ...PASSKEYS, "form-action 'self'"].join('; ');

/** Signing in or consenting may lead to the processor's checkout or to an app: no `form-action`. */
export const SIGN_IN_POLICY = [...SOURCES, ...PASSKEYS].join('; ');

/** Swagger UI sets styles on its elements. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For answers to programs, should a browser open one: nothing in them is run, shown or framed. */
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Pages use passkeys and nothing else of the device. */
const PERMISSIONS = [
  'publickey-credentials-create=(self)',
  'publickey-credentials-get=(self)',
  ...['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'].map(
    (feature) => `${feature}=()`,
  ),
].join(', ');

/**
 * What a browser kept of a signed-in person's pages goes when the session ends. Cookies are ended
 * by name: that of a known device stays.
 */
export const CLEAR_SITE_DATA = { 'clear-site-data': '"cache", "storage"' };

type Fixed = Readonly<Record<string, string>>;

/** For every answer, by its path; a route may have a policy of its own. */
export function secureHeaders({ isHttps }: { isHttps: boolean }): (path: string) => Fixed {
  const both = {
    contentSecurityPolicy: false,
    strictTransportSecurity: isHttps,
  } as const;
  const always = { 'cache-control': 'no-store' };
  const page = {
    ...askHelmet({
      ...both,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    }),
    ...always,
    'content-security-policy': PAGE_POLICY,
    'permissions-policy': PERMISSIONS,
  };
  const answer = {
    ...askHelmet({ ...both, ...ABOUT_PAGES }),
    ...always,
    'content-security-policy': ANSWER_POLICY,
  };
  const oauth = { ...answer, pragma: 'no-cache' }; // RFC 6749 5.1
  return (path) => {
    if (!path.startsWith('/api/')) return page;
    return path.startsWith('/api/oauth/') ? oauth : answer;
  };
}

/** What helmet sets depends on no request: it is asked once. */
function askHelmet(options: Parameters<typeof helmet>[0]): Fixed {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  } as unknown as ServerResponse;
  helmet(options)({} as IncomingMessage, response, () => undefined);
  return headers;
}

/** Headers that speak of documents, their links and their windows: JSON has none, and its policy frames none. */
const ABOUT_PAGES = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;
