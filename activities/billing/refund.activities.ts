import type { PurchaseStatus } from '../../domain/billing/purchases/purchase-status.ts';
import { applyRefundFacts } from '../../domain/billing/refunds/refund-facts.repository.ts';
import {
  isRefundAwaited,
  takeRefundTicket,
  type RefundTicket,
} from '../../domain/billing/refunds/refund-ticket.repository.ts';
import { gatherRefunds } from './gather-refunds.ts';
import type { Services } from '../index.ts';
import { orDeadLetter } from './unknown-outcome.ts';

export type RefundsState = {
  /** The purchase's status; null when the processor's response was not understood. */
  status: PurchaseStatus | null;
  isOpen: boolean;
};

export function createRefundActivities(services: Services) {
  const { database, processor } = services;

  function settle(purchaseId: string, ticket: RefundTicket): Promise<PurchaseStatus | null> {
    const { eventIds } = ticket;
    return orDeadLetter(services, { purchaseId, eventIds }, async () => {
      const facts = await gatherRefunds(services, { about: { purchaseId }, ...ticket });
      const settlement = { purchaseId, ticket, facts, processor: processor.kind };
      return database.transaction((em) => applyRefundFacts(em, settlement));
    });
  }

  return {
    /** Submits the waiting refunds and applies a reading of all; safe to repeat. */
    async settleRefunds({ purchaseId }: { purchaseId: string }): Promise<RefundsState> {
      const ticket = await database.transaction((em) => takeRefundTicket(em, purchaseId));
      const status = await settle(purchaseId, ticket);
      return { status, isOpen: await isRefundAwaited(database.em(), purchaseId) };
    },
  };
}
