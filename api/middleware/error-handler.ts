import type { Context, Middleware } from 'koa';
import type { Logger } from '../../platform/log.ts';
import { presentError, toHttpError, HttpError } from '../errors.ts';
import { errorPage } from '../html/error.page.ts';
import { layout } from '../html/layout.ts';
import { HTML_TYPE, JSON_TYPE } from '../response.ts';
import { isApiPath, pathOf } from './input/request-target.ts';

/** Whatever is thrown becomes an error of the closed list: JSON for the API, else a page. */
export function errorHandler(logger: Logger, options: { isSimulated: boolean }): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      requireResponse(ctx);
    } catch (error) {
      const httpError = toHttpError(error);
      const requestId = ctx.state['requestId'] as string;
      if (httpError !== error) logger.error({ err: error, requestId }, 'request failed');
      ctx.status = httpError.status;
      ctx.state['errorCode'] = httpError.code;
      ctx.set(httpError.headers);
      render(ctx, { httpError, requestId, ...options });
    }
  };
}

/** The status that Koa and its router leave behind where no route responds. */
function requireResponse(ctx: Context): void {
  if (ctx.body != null) return;
  if (ctx.status === 404) throw new HttpError('not_found');
  if (ctx.status === 405) throw new HttpError('method_not_allowed');
}

type Rendered = { httpError: HttpError; requestId: string; isSimulated: boolean };

function render(ctx: Context, { httpError, requestId, isSimulated }: Rendered): void {
  if (isJsonPath(pathOf(ctx) ?? '/api/')) {
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
