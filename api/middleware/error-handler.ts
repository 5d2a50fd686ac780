import type { Context, Middleware } from 'koa';
import type { Logger } from '../../platform/log.ts';
import { presentError, toHttpError, HttpError } from '../errors.ts';
import { errorPage } from '../html/error.page.ts';
import { layout } from '../html/layout.ts';
import { HTML_TYPE, JSON_TYPE } from '../response.ts';
import type { Route } from '../route.ts';
import { findNearestRoute } from './input/nearest-route.ts';
import { isApiPath, pathOf } from './input/request-target.ts';

/** Whatever is thrown becomes an error of the closed list: JSON for the API, else a page. */
export function errorHandler(
  logger: Logger,
  { routes, isSimulated }: { routes: readonly Route[]; isSimulated: boolean },
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      requireResponse(ctx, routes);
    } catch (error) {
      const httpError = toHttpError(error);
      const requestId = ctx.state['requestId'] as string;
      if (httpError !== error) logger.error({ err: error, requestId }, 'request failed');
      ctx.status = httpError.status;
      ctx.set(httpError.headers);
      render(ctx, { httpError, requestId, isSimulated });
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

type Rendered = { httpError: HttpError; requestId: string; isSimulated: boolean };

function render(ctx: Context, { httpError, requestId, isSimulated }: Rendered): void {
  if (ctx.state['isCalledByProgram'] || isJsonPath(pathOf(ctx) ?? '/api/')) {
    ctx.set('content-type', JSON_TYPE);
    ctx.body = JSON.stringify(presentError(httpError, requestId));
    return;
  }
  const view = errorPage({ httpError, requestId });
  ctx.set('content-type', HTML_TYPE);
  ctx.body = layout({
    ...view,
    currentUser: undefined,
    signOutToken: null,
    isSimulated,
  }).toString();
}

function isJsonPath(path: string): boolean {
  return path === '/openapi.json' || path === '/api' || isApiPath(path);
}
