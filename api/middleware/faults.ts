import type { Context, Next } from 'koa';
import type { Logger } from '../../domain/platform/process/log.ts';
import { presentFailure, toFailure, type Failure } from '../errors.ts';
import { failurePage } from '../views/failure.page.ts';
import { layout } from '../views/layout.ts';
import { requestIdOf } from './request-id.ts';

type Options = { logger: Logger; isSimulated: boolean };

/** Whatever is thrown below becomes a failure of the closed list: JSON for the API, else a page. */
export function answerFaults({ logger, isSimulated }: Options) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (fault) {
      const failure = toFailure(fault);
      if (failure !== fault) {
        logger.error({ err: fault, requestId: requestIdOf(ctx) }, 'request failed');
      }
      ctx.status = failure.status;
      ctx.set(failure.headers);
      const rendered = renderFailure(failure, {
        path: ctx.path,
        requestId: requestIdOf(ctx),
        isSimulated,
      });
      ctx.type = rendered.type;
      ctx.body = rendered.body;
    }
  };
}

export function renderFailure(
  failure: Failure,
  where: { path: string; requestId: string; isSimulated: boolean },
): { type: string; body: string } {
  const { path, requestId, isSimulated } = where;
  if (isJsonPath(path)) {
    return { type: 'application/json', body: JSON.stringify(presentFailure(failure, requestId)) };
  }
  const view = failurePage({ failure, requestId });
  const body = layout({ ...view, visitor: undefined, signOutToken: null, isSimulated }).toString();
  return { type: 'text/html; charset=utf-8', body };
}

function isJsonPath(path: string): boolean {
  return path === '/openapi.json' || path === '/api' || path.startsWith('/api/');
}
