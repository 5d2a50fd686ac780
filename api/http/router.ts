import { METHODS } from 'node:http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import compose from 'koa-compose';
import conditionalGet from 'koa-conditional-get';
import etag from '@koa/etag';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { NO_EXTRA_FIELDS, parseBody, type ExtraFields } from './body.ts';
import { cookies } from './cookies.ts';
import { csrf, sameOrigin } from './csrf.ts';
import type { ViewLimit } from './limits.ts';
import { limitViews, rateLimit } from './rate-limit.ts';
import { validate } from './validate.ts';
import { writeResponse } from './response.ts';
import { SELF_AUTHENTICATED, type Credential, type Route } from './route.ts';
import type { Services } from '../services.ts';

/** The part of the chain that belongs to the area of accounts: it tells who somebody is. */
export type SignIn = {
  /** Returns null where nobody is signed in. The cookies are read already. */
  findSignedIn(ctx: Context, services: Services): Promise<CurrentUser | null>;
  session(needed: Credential, services: Services): Middleware;
  /** Asks for a password or passkey of the last minutes before the form's handler runs. */
  freshProof(needed: 'fresh' | ((body: never) => boolean), services: Services): Middleware;
  /** The fields that the page of `freshProof` adds to a form. */
  proofFields: ExtraFields;
};

type Kernel = { services: Services; signIn: SignIn };

/**
 * Runs the route of a request. The routes of each first segment of the path have a router of their
 * own, because a router tests the expressions of all of its routes.
 */
export function routeRequests(routes: readonly Route[], kernel: Kernel): Middleware {
  const bySegment = Map.groupBy(routes, ({ path }) => firstSegment(path));
  const routers = new Map(
    [...bySegment].map(([segment, some]) => [segment, createRouter(some, kernel)]),
  );
  return (ctx, next) => routers.get(firstSegment(ctx.path))?.(ctx as Context, next) ?? next();
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

function createRouter(routes: readonly Route[], kernel: Kernel): Middleware {
  const router = new Router({ sensitive: true, strict: true, methods: METHODS });
  for (const route of routes) {
    const options = { strict: !route.mayEndInSlash };
    router.register(route.path, [route.method], compose(chainOf(route, kernel)), options);
  }
  return compose([router.routes(), router.allowedMethods()] as Middleware[]);
}

/** Credential, rate, size, type, input, in this order. */
function chainOf(route: Route, { services, signIn }: Kernel): Middleware[] {
  const { method, path, credential, input, proof = 'none' } = route;
  if (SELF_AUTHENTICATED.some((self) => self === credential)) return [handle(route, services)];
  const form = input.body?.kind === 'form' || input.body?.kind === 'upload';
  const readsSession = PAGE_CREDENTIALS.has(credential);
  if (method === 'POST' && !form && readsSession) {
    throw new Error(`POST ${path} reads a session and has no form that proves where it came from`);
  }
  const counted = countedAs(route);
  const isSignedIn = credential === 'session' || credential === 'operator';
  const identify = readsSession ? [signIn.session(credential, services)] : [];
  return [
    ...(route.contentSecurityPolicy ? [contentSecurityPolicy(route.contentSecurityPolicy)] : []),
    ...(route.hasEtag ? [ignoreNoCache, conditionalGet(), etagOfKept] : []),
    cookies(services),
    ...(counted ? [limitViews(counted, services)] : []),
    ...identify,
    ...(route.limit ? [rateLimit({ ...route, limit: route.limit }, services)] : []),
    ...(form ? [sameOrigin(services)] : []),
    ...(input.body
      ? [parseBody(input.body, services, proof === 'none' ? NO_EXTRA_FIELDS : signIn.proofFields)]
      : []),
    ...(form ? [csrf(services, isSignedIn ? 'session' : 'preSession')] : []),
    // The session may have ended while the body came.
    ...(form && isSignedIn ? identify : []),
    validate(input),
    ...(proof === 'none' ? [] : [signIn.freshProof(proof, services)]),
    handle(route, services),
  ];
}

function handle(route: Route, services: Services): Middleware {
  return async (ctx) => {
    const response = await route.handler({ ctx: ctx as Context, services, ...ctx.state } as never);
    await writeResponse(ctx, services, response);
  };
}

/** A GET route that reads the session and declares no limit is a view of a page. */
function countedAs({ method, credential, limit, countsAs }: Route): ViewLimit | undefined {
  const isPage = method === 'GET' && limit === null && PAGE_CREDENTIALS.has(credential);
  return countsAs ?? (isPage ? 'pages' : undefined);
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
