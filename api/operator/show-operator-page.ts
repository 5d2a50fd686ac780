import { countQueues, type Waiting } from '../../domain/alerts/waiting.repository.ts';
import { page } from '../http/response.ts';
import type { HttpResponse, SessionContext, View } from '../http/route.ts';
import { withWaiting } from './operator.page.ts';

/** Answers with an operator's page, whose navigation counts what waits, as its list may do. */
export async function showOperatorPage(
  context: SessionContext,
  view: View | ((waiting: Waiting) => View),
  extras: Parameters<typeof page>[2] = {},
): Promise<HttpResponse> {
  const waiting = await countQueues(context.services.database.em());
  const shown = typeof view === 'function' ? view(waiting) : view;
  return page(context, withWaiting(shown, waiting), extras);
}
