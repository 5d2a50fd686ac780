import { raiseAlert } from '../../domain/alerts/alert.repository.ts';
import type { RequestedChange } from '../../domain/billing/recurring/change-request.repository.ts';
import { ProcessorFault } from '../../clients/processor/processor.ts';
import type { SubscriptionReading } from '../../domain/billing/recurring/processor-snapshot.ts';
import type { SubscriptionFencingToken } from '../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { Services } from '../services.ts';

type PendingChange = {
  /** The id of the subscription or the membership. */
  id: string;
  processorId: string;
  requestedChange: RequestedChange | null;
  changeNumber: number;
  isClosing: boolean;
};

/** What is wanted of the processor goes first; its answer is what holds from then on. */
export async function applyRequestedChange(
  { processor, database, logger }: Services,
  { id, processorId, requestedChange, changeNumber, isClosing }: PendingChange,
): Promise<SubscriptionReading> {
  if (isClosing) {
    return processor.cancelSubscription({ subscriptionId: processorId, key: `${id}-end` });
  }
  if (requestedChange === null) return processor.readSubscription(processorId);
  const isCancel = requestedChange === 'cancel';
  const key = `${id}-${requestedChange}-${changeNumber}`;
  try {
    return await processor.cancelAtPeriodEnd({ subscriptionId: processorId, key, isCancel });
  } catch (error) {
    if (!(error instanceof ProcessorFault && error.isPermanent)) throw error;
    const { message: reason } = error;
    const refused = { alert: 'change_refused', renewed: id, requestedChange, reason };
    logger.error(refused, 'the processor refuses a change request');
    const alert = { kind: 'change_refused', subject: id } as const;
    const detail = { change: requestedChange, reason };
    await database.transaction((em) => raiseAlert(em, { ...alert, detail }));
    return processor.readSubscription(processorId);
  }
}

type PayoutMove = {
  fence: SubscriptionFencingToken;
  reading: SubscriptionReading;
  feeBasisPoints: number;
};

/**
 * Renewals are paid to the current owner of the product. The processor's object is compared at each
 * reading, so a missed change is made at the next one.
 */
export async function movePayouts(
  { processor, database, logger }: Services,
  { fence, reading, feeBasisPoints }: PayoutMove,
): Promise<void> {
  const { payoutAccount, subscriptionId, purchaseId } = fence;
  const isRunning = reading.status === 'active' || reading.status === 'past_due';
  if (payoutAccount === null || payoutAccount === reading.payoutAccount || !isRunning) return;
  const share = { payoutAccount, applicationFeeBasisPoints: feeBasisPoints };
  const key = `${subscriptionId}-payouts-${fence.sequence}`;
  try {
    await processor.movePayouts({ subscriptionId: reading.processorId, key, ...share });
  } catch (error) {
    if (!(error instanceof ProcessorFault && error.isPermanent)) throw error;
    logger.error({ alert: 'payouts_unmoved', subscriptionId, reason: error.message }, 'refused');
    const alert = { kind: 'payouts_unmoved', subject: purchaseId } as const;
    await database.transaction((em) => raiseAlert(em, { ...alert, detail: { subscriptionId } }));
  }
}
