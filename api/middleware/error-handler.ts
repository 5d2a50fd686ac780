import type { Logger } from '../../platform/log.ts';
import { HTML_TYPE, JSON_TYPE } from '../response.ts';
import { presentFailure, toFailure, type Failure } from '../errors.ts';
import type { Answer } from '../route.ts';
import { failurePage } from '../html/failure.page.ts';
import { layout } from '../html/layout.ts';

type Where = { path: string; requestId: string; isSimulated: boolean };

/** Whatever was thrown becomes a failure of the closed list: JSON for the API, else a page. */
export function answerFault(fault: unknown, logger: Logger, where: Where): Answer {
  const failure = toFailure(fault);
  if (failure !== fault) {
    logger.error({ err: fault, requestId: where.requestId }, 'request failed');
  }
  const { status, headers } = failure;
  return { status, headers, ...renderFailure(failure, where) };
}

export function renderFailure(failure: Failure, where: Where): { type: string; body: string } {
  const { path, requestId, isSimulated } = where;
  if (isJsonPath(path)) {
    return { type: JSON_TYPE, body: JSON.stringify(presentFailure(failure, requestId)) };
  }
  const view = failurePage({ failure, requestId });
  const body = layout({ ...view, visitor: undefined, signOutToken: null, isSimulated }).toString();
  return { type: HTML_TYPE, body };
}

function isJsonPath(path: string): boolean {
  return path === '/openapi.json' || path === '/api' || path.startsWith('/api/');
}
