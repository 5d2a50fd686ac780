import {
  applyDisputes,
  findPaymentIntents,
} from '../../domain/billing/disputes/dispute.repository.ts';
import type { Ticket } from '../../domain/billing/purchases/purchase-ticket.repository.ts';
import { orDeadLetter, type Hands } from './unknown-outcome.ts';

/** Reads and applies the disputes of a purchase's payments; true when they were not understood. */
export async function settleDisputes(
  hands: Hands,
  { purchaseId, ticket }: { purchaseId: string; ticket: Ticket },
): Promise<boolean> {
  const { database, processor } = hands;
  const { disputeEventIds: eventIds } = ticket;
  if (eventIds.length === 0 && !ticket.hasOpenDispute) return false;
  const settled = await orDeadLetter(hands, { purchaseId, eventIds }, async () => {
    const intents = await findPaymentIntents(database.em(), purchaseId);
    for (const paymentIntentId of intents) {
      // An event may be about any of the payments, so it is handled once all are read.
      const disputeEventIds = paymentIntentId === intents.at(-1) ? eventIds : [];
      const covering = { ...ticket, disputeEventIds };
      const disputes = await processor.readDisputes(paymentIntentId);
      const said = { purchaseId, ticket: covering, disputes, paymentIntentId };
      await database.transaction((em) => applyDisputes(em, { ...said, processor: processor.kind }));
    }
    return true;
  });
  return settled === null;
}
