import { applyRefundFacts } from '../../domain/billing/refunds/apply-refunds.repository.ts';
import {
  isRefundAwaited,
  takeRefundFencingToken,
  type RefundFencingToken,
} from '../../domain/billing/refunds/refund.repository.ts';
import { gatherRefunds } from './gather-refunds.ts';
import type { Services } from '../services.ts';
import { orDeadLetter } from './unknown-outcome.ts';

export function createRefundActivities(services: Services) {
  const { database, processor } = services;

  /** Returns the purchase's status; null when the processor's response was not understood. */
  function settle(purchaseId: string, fence: RefundFencingToken) {
    const { eventIds } = fence;
    return orDeadLetter(services, { purchaseId, eventIds }, async () => {
      const facts = await gatherRefunds(services, { about: { purchaseId }, ...fence });
      const settlement = { purchaseId, fence, facts, processor: processor.kind };
      return database.transaction((em) => applyRefundFacts(em, settlement));
    });
  }

  return {
    /** Submits the waiting refunds and applies a reading of all; safe to repeat. */
    async settleRefunds({ purchaseId }: { purchaseId: string }) {
      const fence = await database.transaction((em) => takeRefundFencingToken(em, purchaseId));
      const status = await settle(purchaseId, fence);
      return { status, isOpen: await isRefundAwaited(database.em(), purchaseId) };
    },
  };
}
