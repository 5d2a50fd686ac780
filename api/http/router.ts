import { METHODS } from 'node:http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import conditionalGet from 'koa-conditional-get';
import etag from '@koa/etag';
import { freshProof, PROOF_FIELDS } from '../account/confirmation/fresh-proof.ts';
import { NOTHING, parseBody } from './body.ts';
import { csrf, sameOrigin } from './csrf.ts';
import { limitPageViews, rateLimit } from './rate-limit.ts';
import { cookies, session } from '../account/session.ts';
import { validate } from './validate.ts';
import { writeResponse } from './response.ts';
import { SELF_AUTHENTICATED, type Route } from './route.ts';
import type { Services } from '../services.ts';

export function createRouter(routes: readonly Route[], services: Services): Router {
  const router = new Router({ sensitive: true, strict: true, methods: METHODS });
  for (const route of routes) {
    const options = { strict: !route.mayEndInSlash };
    router.register(route.path, [route.method], chainOf(route, services), options);
  }
  return router;
}

/** Credential, rate, size, type, input, in this order. */
function chainOf(route: Route, services: Services): Middleware[] {
  const { method, path, credential, input, proof = 'none' } = route;
  if (SELF_AUTHENTICATED.some((self) => self === credential)) return [handle(route, services)];
  const form = input.body?.kind === 'form' || input.body?.kind === 'upload';
  const readsSession = PAGE_CREDENTIALS.has(credential);
  if (method === 'POST' && !form && readsSession) {
    throw new Error(`POST ${path} reads a session and has no form that proves where it came from`);
  }
  const isSignedIn = credential === 'session' || credential === 'operator';
  const identify = readsSession ? [session(credential, services)] : [];
  return [
    ...(route.contentSecurityPolicy ? [contentSecurityPolicy(route.contentSecurityPolicy)] : []),
    ...(route.hasEtag ? [ignoreNoCache, conditionalGet(), etagOfKept] : []),
    cookies(services),
    ...(isPage(route) ? [limitPageViews(services)] : []),
    ...identify,
    ...(route.limit ? [rateLimit({ ...route, limit: route.limit }, services)] : []),
    ...(form ? [sameOrigin(services)] : []),
    ...(input.body
      ? [parseBody(input.body, services, proof === 'none' ? NOTHING : PROOF_FIELDS)]
      : []),
    ...(form ? [csrf(services, isSignedIn ? 'session' : 'preSession')] : []),
    // The session may have ended while the body came.
    ...(form && isSignedIn ? identify : []),
    validate(input),
    ...(proof === 'none' ? [] : [freshProof(proof, services)]),
    handle(route, services),
  ];
}

function handle(route: Route, services: Services): Middleware {
  return async (ctx) => {
    const response = await route.handler({ ctx: ctx as Context, services, ...ctx.state } as never);
    writeResponse(ctx, services, response);
  };
}

/** A GET route that reads the session and declares no limit, or a picture on a page. */
function isPage({ method, credential, limit, isPageView = false }: Route): boolean {
  return isPageView || (method === 'GET' && limit === null && PAGE_CREDENTIALS.has(credential));
}

const PAGE_CREDENTIALS = new Set(['optional_session', 'session', 'operator']);

/** `fetch` sends `Cache-Control: no-cache` with `If-None-Match`: Koa would then never send a 304. */
const ignoreNoCache: Middleware = (ctx, next) => {
  delete ctx.req.headers['cache-control'];
  return next();
};

/** Weak: the compressor may still change the bytes. */
const addEtag = etag({ weak: true });

/** A response that is kept nowhere needs no validator. */
const etagOfKept: Middleware = async (ctx, next) => {
  await next();
  if (ctx.response.get('cache-control') !== 'no-store') await addEtag(ctx, async () => undefined);
};

function contentSecurityPolicy(policy: string): Middleware {
  return (ctx, next) => {
    ctx.set('content-security-policy', policy);
    return next();
  };
}
