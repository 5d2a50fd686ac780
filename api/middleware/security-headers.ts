import type { Middleware } from 'koa';
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

/** For every answer; a route may have a policy of its own. */
export function secureHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  const both = {
    contentSecurityPolicy: false,
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
  } as const;
  const protectPage = helmet({ ...both, referrerPolicy: { policy: 'same-origin' } });
  const protectAnswer = helmet({ ...both, ...ABOUT_PAGES });
  return (ctx, next) => {
    const isAnswer = ctx.path.startsWith('/api/');
    const protect = isAnswer ? protectAnswer : protectPage;
    protect(ctx.req, ctx.res, () => undefined); // done when it returns
    ctx.set('content-security-policy', isAnswer ? ANSWER_POLICY : PAGE_POLICY);
    ctx.set('cache-control', 'no-store');
    if (ctx.path.startsWith('/api/oauth/')) ctx.set('pragma', 'no-cache'); // RFC 6749 5.1
    return next();
  };
}

/** Headers that speak of documents, their links and their windows: JSON has none. */
const ABOUT_PAGES = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;
