import {
  abandonPurchase,
  applyReading,
} from '../../domain/billing/purchases/apply-purchase.command.ts';
import {
  takeFencingToken,
  type FencingToken,
} from '../../domain/billing/purchases/purchase.repository.ts';
import {
  hasReceivedMoney,
  isPurchaseOpen,
} from '../../domain/billing/purchases/purchase-status.ts';
import { isRefundAwaited } from '../../domain/billing/refunds/refund.repository.ts';
import type { Services } from '../services.ts';
import { readSession } from './read-session.ts';
import { refreshDisputes } from './refresh-disputes.ts';
import { orDeadLetter } from './unknown-outcome.ts';

export function createPurchaseActivities(services: Services) {
  const { database, processor, logger } = services;

  async function settle(purchaseId: string, fence: FencingToken) {
    const { status, sessionId, checkoutId, isSessionUnwanted, eventIds, remainingMs } = fence;
    if (sessionId === null) {
      const abandoned = await abandonPurchase(database.em(), { purchaseId, remainingMs });
      return { status: abandoned, reading: null, isDeadLettered: false };
    }
    const settled = await orDeadLetter(services, { purchaseId, eventIds }, async () => {
      const session = { sessionId, checkoutId, isUnwanted: isSessionUnwanted };
      const reading = await readSession(processor, session);
      const read = { purchaseId, fence, reading, processor: processor.kind };
      const applied = await applyReading(database.em(), read);
      if (applied === 'quarantined') {
        logger.error({ alert: 'purchase_quarantined', purchaseId }, 'money without access');
      }
      return { status: applied, reading: reading.status, isDeadLettered: false };
    });
    return settled ?? { status, reading: null, isDeadLettered: true };
  }

  return {
    /** Reads the purchase at the processor and applies the reading; safe to repeat. */
    async settlePurchase({ purchaseId }: { purchaseId: string }) {
      const fence = await database.transaction((em) => takeFencingToken(em, purchaseId));
      const { productId, personId, remainingMs } = fence;
      const settled = await settle(purchaseId, fence);
      const { status, reading } = settled;
      const isDisputeDeadLettered = await refreshDisputes(services, { purchaseId, fence });
      const isDeclined = reading === 'declined' && status === 'pending';
      // An event about a settled purchase may be about a return.
      const hasRefunds =
        hasReceivedMoney(fence.status) || (await isRefundAwaited(database.em(), purchaseId));
      return {
        status: isDeclined ? reading : status,
        // The processor said what this code does not understand; a human has been told.
        isDeadLettered: isDisputeDeadLettered || settled.isDeadLettered,
        isOpen: isPurchaseOpen(status, reading),
        hasRefunds,
        remainingMs,
        productId,
        personId,
      };
    },
  };
}
