import type { Context, Middleware } from 'koa';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { readCookies, type Cookies } from './cookies.ts';
import { presentError, toHttpError, HttpError, type ErrorCode } from './errors.ts';
import { errorPage } from '../html/error.page.ts';
import { HTML_TYPE, JSON_TYPE, writePage } from './response.ts';
import type { Route } from './route.ts';
import type { Services } from '../services.ts';
import { findNearestRoute } from './nearest-route.ts';
import { isApiPath, pathOf } from './request-target.ts';
import { countView } from './rate-limit.ts';
import type { SignIn } from './router.ts';

type Options = Pick<SignIn, 'findSignedIn'> & { routes: readonly Route[] };

/** Whatever is thrown becomes an error of the closed list: JSON for the API, else a page. */
export function errorHandler(services: Services, { routes, findSignedIn }: Options): Middleware {
  const { logger } = services;
  return async (ctx, next) => {
    try {
      await next();
      requireResponse(ctx, routes);
    } catch (error) {
      const httpError = toHttpError(error);
      const requestId = ctx.state['requestId'] as string;
      if (httpError !== error) logger.error({ err: error, requestId }, 'request failed');
      ctx.status = httpError.status;
      ctx.state['errorCode'] = httpError.code;
      ctx.state['errorParam'] = httpError.param;
      ctx.set(httpError.headers);
      await render(ctx as Context, services, { httpError, requestId, findSignedIn });
    }
  };
}

/** The status that Koa and its router leave behind where no route responds. */
function requireResponse(ctx: Context, routes: readonly Route[]): void {
  if (ctx.body != null) return;
  if (ctx.status === 404) throw noRoute(ctx, routes);
  if (ctx.status === 405) throw new HttpError('method_not_allowed');
}

/** Programs that call a path which does not exist read the reason as JSON. */
function noRoute(ctx: Context, routes: readonly Route[]): HttpError {
  const nearest = findNearestRoute(ctx.path, routes);
  ctx.state['isCalledByProgram'] =
    /^Bearer /i.test(ctx.get('authorization')) ||
    ctx.request.type.toLowerCase() === 'application/json' ||
    (nearest !== null && LOOKS_LIKE_API.test(ctx.path));
  if (nearest === null) return new HttpError('not_found');
  const message = `There is nothing here. Did you mean ${nearest.method} ${nearest.path}?`;
  return new HttpError('not_found', { message });
}

const LOOKS_LIKE_API = /^\/(v\d+|oauth2?)\//;

type Failure = Pick<SignIn, 'findSignedIn'> & { httpError: HttpError; requestId: string };

async function render(ctx: Context, services: Services, failure: Failure): Promise<void> {
  const { httpError, requestId } = failure;
  if (ctx.state['isCalledByProgram'] || isJsonPath(pathOf(ctx) ?? '/api/')) {
    ctx.set('content-type', JSON_TYPE);
    ctx.body = JSON.stringify(presentError(httpError, requestId));
    return;
  }
  const currentUser = await findReader(ctx, services, failure);
  const view = errorPage({ httpError, requestId, isSignedIn: Boolean(currentUser) });
  const { session = null } = (ctx.state['cookies'] ?? {}) as Partial<Cookies>;
  ctx.set('content-type', HTML_TYPE);
  ctx.body = writePage(services, { ...view, currentUser, session, notice: null });
}

/** Faults and requests over a limit ask the database nothing more. */
const WITHOUT_READER: readonly ErrorCode[] = ['rate_limited', 'unavailable', 'internal_error'];

/** The signed-in person, who keeps the navigation; undefined where it is not known. */
async function findReader(
  ctx: Context,
  services: Services,
  { httpError: { code }, findSignedIn }: Failure,
): Promise<CurrentUser | null | undefined> {
  if (code === 'unauthorized') return null; // the session may have ended meanwhile
  const found = ctx.state['currentUser'] as CurrentUser | null | undefined;
  if (found !== undefined || pathOf(ctx) === null || WITHOUT_READER.includes(code)) return found;
  try {
    ctx.state['cookies'] ??= readCookies(ctx, services.config.baseUrl);
    // A path without a route counts as a view of a page.
    if ((ctx.state['cookies'] as Cookies).session === null) return null;
    if ((await countView(ctx, services, 'pages')).isOver) return undefined;
    return await findSignedIn(ctx, services);
  } catch (error) {
    services.logger.warn({ err: error }, 'an error page has no navigation');
    return undefined;
  }
}

/** Programs ask for these (RFC 8615), and people never. */
function isWellKnown(path: string): boolean {
  return /^\/\.well-known(\/|$)/.test(path);
}

function isJsonPath(path: string): boolean {
  return path === '/openapi.json' || path === '/api' || isApiPath(path) || isWellKnown(path);
}
