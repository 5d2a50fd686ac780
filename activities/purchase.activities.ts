import { parkEvents } from '../domain/selling/inbox/inbox.store.ts';
import {
  abandonPurchase,
  applyReading,
  takeTicket,
  type Ticket,
} from '../domain/selling/purchase.store.ts';
import { readFeeOfPurchase } from '../domain/selling/platform-fee.store.ts';
import {
  isPurchaseOpen,
  isSettled,
  type PurchaseStatus,
  type Reading,
} from '../domain/selling/purchase-status.ts';
import { isRefundAwaited } from '../domain/selling/refunds/refund-ticket.store.ts';
import type { Services } from './index.ts';
import { isNotUnderstood, settleDisputes } from './settle-disputes.ts';

export type PurchaseState = {
  status: PurchaseStatus | 'declined';
  isOpen: boolean;
  /** The processor said what this code does not understand; a human has been told. */
  isParked: boolean;
  /** Refunds are to be made, or to be asked after. */
  hasRefunds: boolean;
  remainingMs: number;
  productId: string;
  personId: string;
};

type Answer =
  | (Reading & { paymentId: string | null; subscriptionId: string | null })
  | { park: string };

export function createPurchaseActivities(services: Services) {
  const { database, processor, logger } = services;

  async function ask(sessionId: string): Promise<Answer> {
    try {
      const { paymentIntentId: paymentId, ...state } = await processor.readCheckout(sessionId);
      return { ...state, paymentId };
    } catch (fault) {
      if (isNotUnderstood(fault)) return { park: fault.message };
      throw fault;
    }
  }

  async function settle(purchaseId: string, ticket: Ticket) {
    const { status, sessionId, eventIds } = ticket;
    if (sessionId === null) {
      const abandoned = await database.transaction((em) =>
        abandonPurchase(em, { purchaseId, remainingMs: ticket.remainingMs }),
      );
      return { status: abandoned, reading: null };
    }
    const answer = await ask(sessionId);
    if ('park' in answer) {
      logger.error({ alert: 'processor_state', purchaseId, reason: answer.park }, 'parked');
      const parked = { processor: processor.kind, eventIds, reason: answer.park, purchaseId };
      await database.transaction((em) => parkEvents(em, parked));
      return { status, reading: null, isParked: true };
    }
    const settlement = { purchaseId, ticket, reading: answer, processor: processor.kind };
    const applied = await database.transaction(async (em) => {
      const feeBasisPoints = await readFeeOfPurchase(em, purchaseId);
      return applyReading(em, { ...settlement, feeBasisPoints });
    });
    if (applied === 'quarantined') {
      logger.error({ alert: 'purchase_quarantined', purchaseId }, 'money without access');
    }
    return { status: applied, reading: answer.status };
  }

  return {
    /** Asks the processor how a purchase stands and applies its answer; safe to repeat. */
    async settlePurchase({ purchaseId }: { purchaseId: string }): Promise<PurchaseState> {
      const ticket = await database.transaction((em) => takeTicket(em, purchaseId));
      const { productId, personId, remainingMs } = ticket;
      const { status, reading, isParked: isOdd = false } = await settle(purchaseId, ticket);
      const isParked = (await settleDisputes(services, { purchaseId, ticket })) || isOdd;
      const isOpen = isPurchaseOpen(status, reading);
      const isDeclined = reading === 'declined' && status === 'pending';
      const shown = isDeclined ? reading : status;
      // Whoever speaks of a purchase that was settled before may speak of money that went back.
      const hasRefunds =
        isSettled(ticket.status) || (await isRefundAwaited(database.em(), purchaseId));
      return { status: shown, isParked, isOpen, hasRefunds, remainingMs, productId, personId };
    },
  };
}
