import type { Wish } from '../../domain/selling/renewals/wish.store.ts';
import { ProcessorFault } from '../clients/processor.ts';
import type { SubscriptionReading } from '../../domain/selling/renewals/subscription-reading.ts';
import type { Services } from '../index.ts';

type Wanted = {
  /** Of the subscription, or the membership. */
  id: string;
  processorId: string;
  wish: Wish | null;
  wishNumber: number;
  isClosing: boolean;
};

/** What is wanted of the processor goes first; its answer is what holds from then on. */
export async function carryOut(
  { processor, logger }: Services,
  { id, processorId, wish, wishNumber, isClosing }: Wanted,
): Promise<SubscriptionReading> {
  if (isClosing) {
    return processor.cancelSubscription({ subscriptionId: processorId, key: `${id}-end` });
  }
  if (wish === null) return processor.readSubscription(processorId);
  const isCancel = wish === 'cancel';
  const key = `${id}-${wish}-${wishNumber}`;
  try {
    return await processor.cancelAtPeriodEnd({ subscriptionId: processorId, key, isCancel });
  } catch (fault) {
    if (!(fault instanceof ProcessorFault && fault.isPermanent)) throw fault;
    logger.error({ renewed: id, wish, reason: fault.message }, 'a wish was refused');
    return processor.readSubscription(processorId);
  }
}
