import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import type { Middleware } from 'koa';
import { isApiPath, pathOf } from './request-target.ts';

const SOURCES = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Pages run no script at all. Browsers apply `form-action` to redirects too: forms stay with us. */
const PAGE_POLICY = [...SOURCES, "form-action 'self'"].join('; ');

/** Copy buttons are shown by our own script. */
export const COPY_POLICY = [...SOURCES, "script-src 'self'", "form-action 'self'"].join('; ');
/** Opening a product with Member leads to its own address: no `form-action`. */
export const OPENING_POLICY = SOURCES.join('; ');

/** Passkeys need our own script, which calls our own routes only. */
const PASSKEYS = ["script-src 'self'", "connect-src 'self'"];

export const PASSKEY_POLICY = [...SOURCES, ...PASSKEYS, "form-action 'self'"].join('; ');

/** Signing in or consenting may lead to the processor's checkout or to an app: no `form-action`. */
export const SIGN_IN_POLICY = [...SOURCES, ...PASSKEYS].join('; ');

/** The policy for responses of the API: a browser that opens one runs, shows and frames nothing. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

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

/**
 * Sets the headers of every response by the path of its request; a route may have a policy of its
 * own.
 */
export function securityHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  const shared = { contentSecurityPolicy: false, strictTransportSecurity: isHttps } as const;
  const ofApi = {
    'cache-control': 'no-store',
    'content-security-policy': API_POLICY,
    ...listHelmetHeaders({ ...shared, ...ABOUT_PAGES }),
  };
  const ofPages = {
    'cache-control': 'no-store',
    'content-security-policy': PAGE_POLICY,
    'permissions-policy': PERMISSIONS,
    ...listHelmetHeaders({
      ...shared,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    }),
  };
  return (ctx, next) => {
    const path = pathOf(ctx);
    ctx.set(path === null || isApiPath(path) ? ofApi : ofPages);
    if (path?.startsWith('/api/oauth/')) ctx.set('pragma', 'no-cache'); // RFC 6749 5.1
    return next();
  };
}

/** Asks helmet once: these headers do not depend on the request. */
function listHelmetHeaders(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
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
