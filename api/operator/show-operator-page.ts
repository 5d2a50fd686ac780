import { countWaiting } from '../../domain/alerts/waiting.repository.ts';
import { page } from '../http/response.ts';
import type { HttpResponse, SessionContext, View } from '../http/route.ts';
import { withWaiting } from './operator.page.ts';

/** Answers with an operator's page, whose navigation counts what waits. */
export async function showOperatorPage(
  context: SessionContext,
  view: View,
  extras: Parameters<typeof page>[2] = {},
): Promise<HttpResponse> {
  const waiting = await countWaiting(context.services.database.em());
  return page(context, withWaiting(view, waiting), extras);
}
