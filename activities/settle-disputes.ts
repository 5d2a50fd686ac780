import { applyDisputes, findPaymentIntents } from '../domain/selling/disputes/dispute.store.ts';
import { parkEvents } from '../domain/selling/inbox/inbox.store.ts';
import type { Ticket } from '../domain/selling/purchase.store.ts';
import { ProcessorFault, UnknownProcessorState } from './clients/processor.ts';
import type { Services } from './index.ts';

/** Reads the disputes of a purchase's payments and applies them; true when they were not understood. */
export async function settleDisputes(
  { database, processor, logger }: Pick<Services, 'database' | 'processor' | 'logger'>,
  { purchaseId, ticket }: { purchaseId: string; ticket: Ticket },
): Promise<boolean> {
  const { disputeEventIds: eventIds } = ticket;
  if (eventIds.length === 0 && !ticket.hasOpenDispute) return false;
  const intents = await findPaymentIntents(database.em(), purchaseId);
  for (const paymentIntentId of intents) {
    // Of which payment an event speaks is not known here: it is followed once all have been read.
    const disputeEventIds = paymentIntentId === intents.at(-1) ? eventIds : [];
    const covering = { ...ticket, disputeEventIds };
    try {
      const disputes = await processor.readDisputes(paymentIntentId);
      const said = { purchaseId, ticket: covering, disputes, paymentIntentId };
      await database.transaction((em) => applyDisputes(em, { ...said, processor: processor.kind }));
    } catch (fault) {
      if (!isNotUnderstood(fault)) throw fault;
      const reason = fault.message;
      logger.error({ alert: 'processor_state', purchaseId, reason }, 'parked');
      const parked = { processor: processor.kind, eventIds, reason, purchaseId };
      await database.transaction((em) => parkEvents(em, parked));
      return true;
    }
  }
  return false;
}

export function isNotUnderstood(fault: unknown): fault is Error {
  return (
    fault instanceof UnknownProcessorState || (fault instanceof ProcessorFault && fault.isPermanent)
  );
}
