import {
  applyDisputes,
  findPaymentIntents,
} from '../../domain/billing/disputes/dispute.repository.ts';
import type { Ticket } from '../../domain/billing/purchases/purchase-ticket.repository.ts';
import { orPark, type Hands } from './unknown-outcome.ts';

/** Reads the disputes of a purchase's payments and applies them; true when they were not understood. */
export async function settleDisputes(
  hands: Hands,
  { purchaseId, ticket }: { purchaseId: string; ticket: Ticket },
): Promise<boolean> {
  const { database, processor } = hands;
  const { disputeEventIds: eventIds } = ticket;
  if (eventIds.length === 0 && !ticket.hasOpenDispute) return false;
  const settled = await orPark(hands, { purchaseId, eventIds }, async () => {
    const intents = await findPaymentIntents(database.em(), purchaseId);
    for (const paymentIntentId of intents) {
      // Of which payment an event speaks is not known here: it is followed once all have been read.
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
