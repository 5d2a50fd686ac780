import {
  applyDisputes,
  findPaymentIntents,
} from '../../domain/billing/disputes/dispute.repository.ts';
import type { FencingToken } from '../../domain/billing/purchases/purchase.repository.ts';
import { orDeadLetter, type DeadLetterServices } from './unknown-outcome.ts';

/** Reads and applies the disputes of a purchase's payments; true when they were not understood. */
export async function refreshDisputes(
  services: DeadLetterServices,
  { purchaseId, fence }: { purchaseId: string; fence: FencingToken },
): Promise<boolean> {
  const { database, processor } = services;
  const { disputeEventIds: eventIds } = fence;
  if (eventIds.length === 0 && !fence.hasOpenDispute) return false;
  const settled = await orDeadLetter(services, { purchaseId, eventIds }, async () => {
    const intents = await findPaymentIntents(database.em(), purchaseId);
    for (const paymentIntentId of intents) {
      // An event may be about any of the payments, so it is handled once all are read.
      const disputeEventIds = paymentIntentId === intents.at(-1) ? eventIds : [];
      const covering = { ...fence, disputeEventIds };
      const disputes = await processor.readDisputes(paymentIntentId);
      const read = { purchaseId, fence: covering, disputes, paymentIntentId };
      await database.transaction((em) => applyDisputes(em, { ...read, processor: processor.kind }));
    }
    return true;
  });
  return settled === null;
}
