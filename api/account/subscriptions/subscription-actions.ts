// The actions on product subscriptions and on Member; `path` is the page to redirect to.
import { isProcessorTrouble } from '../../../clients/processor/processor.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  requestChange,
  type ChangeRequest,
} from '../../../domain/billing/subscriptions/change-request.repository.ts';
import { redirect } from '../../response.ts';
import type { RouteContext, HttpResponse } from '../../route.ts';
import { withNotice, type Notice } from '../../html/notices.ts';

/**
 * Records the change request. The workflow applies it at the processor, and the page shows the
 * progress.
 */
export async function askFor(
  { services }: RouteContext,
  { path, done, ...request }: ChangeRequest & { path: string; done: Notice },
): Promise<HttpResponse> {
  const asked = await services.database.transaction((em) => requestChange(em, request));
  return redirect(withNotice(path, isRefusal(asked) ? 'unchanged' : done));
}

type Renewed = { processorId: string | null; status: string; path: string };

/** Another card is typed in at the processor's page. */
export async function sendToCardUpdate(
  { services }: RouteContext,
  { processorId, status, path }: Renewed,
): Promise<HttpResponse> {
  if (processorId === null || status === 'ended') return redirect(withNotice(path, 'unchanged'));
  const { processor, config, logger } = services;
  const returnUrl = `${config.baseUrl}${path}?returned=card`;
  try {
    const asked = { subscriptionId: processorId, returnUrl, key: newUuid() };
    const { url } = await processor.openCardUpdate(asked);
    const notice = 'card_returned';
    return { ...redirect(url), flash: { notice, location: path, isAfterProcessor: true } };
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    logger.error({ error: error.name, reason: error.message }, 'card update not opened');
    return redirect(withNotice(path, 'payouts_unavailable'));
  }
}
