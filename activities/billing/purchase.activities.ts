import { abandonPurchase } from '../../domain/billing/purchases/abandon-purchase.repository.ts';
import {
  applyReading,
  type PurchaseReading,
} from '../../domain/billing/purchases/apply-purchase.repository.ts';
import {
  takeFencingToken,
  type FencingToken,
} from '../../domain/billing/purchases/purchase.repository.ts';
import { readFeeOfPurchase } from '../../domain/billing/platform-fee.repository.ts';
import {
  isPurchaseOpen,
  hasReceivedMoney,
  type PurchaseStatus,
} from '../../domain/billing/purchases/purchase-status.ts';
import { isRefundAwaited } from '../../domain/billing/refunds/refund.repository.ts';
import type { Services } from '../services.ts';
import { readSession } from './read-session.ts';
import { refreshDisputes } from './refresh-disputes.ts';
import { orDeadLetter } from './unknown-outcome.ts';

export type PurchaseState = {
  status: PurchaseStatus | 'declined';
  isOpen: boolean;
  /** The processor said what this code does not understand; a human has been told. */
  isDeadLettered: boolean;
  /** Refunds are to be made, or to be asked after. */
  hasRefunds: boolean;
  remainingMs: number;
  productId: string;
  personId: string;
};

export function createPurchaseActivities(services: Services) {
  const { database, processor, logger } = services;

  async function settle(purchaseId: string, fence: FencingToken) {
    const { status, sessionId, checkoutId, isSessionUnwanted, eventIds, remainingMs } = fence;
    if (sessionId === null) {
      const abandoned = await database.transaction((em) =>
        abandonPurchase(em, { purchaseId, remainingMs }),
      );
      return { status: abandoned, reading: null, isDeadLettered: false };
    }
    const settled = await orDeadLetter(services, { purchaseId, eventIds }, async () => {
      const asked = { sessionId, checkoutId, isUnwanted: isSessionUnwanted };
      const reading = await readSession(processor, asked);
      const applied = await apply({ purchaseId, fence, reading });
      return { status: applied, reading: reading.status, isDeadLettered: false };
    });
    return settled ?? { status, reading: null, isDeadLettered: true };
  }

  async function apply(settlement: Pick<PurchaseReading, 'purchaseId' | 'fence' | 'reading'>) {
    const { purchaseId } = settlement;
    const applied = await database.transaction(async (em) => {
      const feeBasisPoints = await readFeeOfPurchase(em, purchaseId);
      return applyReading(em, { ...settlement, feeBasisPoints, processor: processor.kind });
    });
    if (applied === 'quarantined') {
      logger.error({ alert: 'purchase_quarantined', purchaseId }, 'money without access');
    }
    return applied;
  }

  return {
    /** Reads the purchase at the processor and applies the reading; safe to repeat. */
    async settlePurchase({ purchaseId }: { purchaseId: string }): Promise<PurchaseState> {
      const fence = await database.transaction((em) => takeFencingToken(em, purchaseId));
      const { productId, personId, remainingMs } = fence;
      const {
        status,
        reading,
        isDeadLettered: isCheckoutDeadLettered,
      } = await settle(purchaseId, fence);
      const isDeadLettered =
        (await refreshDisputes(services, { purchaseId, fence })) || isCheckoutDeadLettered;
      const isOpen = isPurchaseOpen(status, reading);
      const isDeclined = reading === 'declined' && status === 'pending';
      const shown = isDeclined ? reading : status;
      // An event about a settled purchase may be about a return.
      const hasRefunds =
        hasReceivedMoney(fence.status) || (await isRefundAwaited(database.em(), purchaseId));
      return {
        status: shown,
        isDeadLettered,
        isOpen,
        hasRefunds,
        remainingMs,
        productId,
        personId,
      };
    },
  };
}
