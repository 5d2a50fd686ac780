import type { PurchaseStatus } from '../domain/selling/purchases/purchase-status.ts';
import { applyRefundFacts, type RefundFact } from '../domain/selling/refunds/refund-facts.store.ts';
import { failIntent, markSubmitted } from '../domain/selling/refunds/refund-intent.store.ts';
import {
  isRefundAwaited,
  takeRefundTicket,
  type OpenIntent,
  type PaidCharge,
  type RefundTicket,
} from '../domain/selling/refunds/refund-ticket.store.ts';
import { ProcessorFault, UnknownProcessorState, type RefundState } from './clients/processor.ts';
import type { Services } from './index.ts';
import { orPark } from './unclear.ts';

export type RefundsState = {
  /** Of the purchase; null where the processor said what this code does not understand. */
  status: PurchaseStatus | null;
  isOpen: boolean;
};

export function createRefundActivities(services: Services) {
  const { database, processor, logger } = services;

  /** All that the processor knows of a purchase's refunds, after it was asked for those that wait. */
  async function gather(purchaseId: string, ticket: RefundTicket): Promise<RefundFact[]> {
    const facts: RefundFact[] = [];
    for (const payment of ticket.payments) {
      const known = await processor.listRefunds(payment.processorId);
      const intents = ticket.intents.filter(({ paymentId }) => paymentId === payment.paymentId);
      // One that was asked for before is not asked for again: the processor's memory of keys ends.
      const missing = intents.filter(({ refundId }) => !known.some(isMeant(refundId)));
      for (const intent of missing) {
        const made = await submit({ purchaseId, payment, intent });
        if (made) known.push(made);
      }
      facts.push(...known.map((state) => toFact(state, payment)));
    }
    return facts;
  }

  async function submit(asked: {
    purchaseId: string;
    payment: PaidCharge;
    intent: OpenIntent;
  }): Promise<RefundState | null> {
    const { purchaseId, payment, intent } = asked;
    const { refundId, amountMinor, reason } = intent;
    await database.transaction((em) => markSubmitted(em, refundId));
    try {
      return await processor.refund({
        refundId,
        purchaseId,
        paymentIntentId: payment.processorId,
        amountMinor,
        currency: payment.currency,
        reason: reason === 'not_as_agreed' ? null : reason,
      });
    } catch (fault) {
      if (!isPermanent(fault)) throw fault;
      logger.error({ alert: 'refund_failed', refundId, err: fault }, 'a refund was refused');
      await database.transaction((em) => failIntent(em, { refundId, failure: fault.message }));
      return null;
    }
  }

  function settle(purchaseId: string, ticket: RefundTicket): Promise<PurchaseStatus | null> {
    const { eventIds } = ticket;
    return orPark(services, { purchaseId, eventIds }, async () => {
      const facts = await gather(purchaseId, ticket);
      const settlement = { purchaseId, ticket, facts, processor: processor.kind };
      return database.transaction((em) => applyRefundFacts(em, settlement));
    });
  }

  return {
    /** Makes the refunds that wait and applies what the processor says of all; safe to repeat. */
    async settleRefunds({ purchaseId }: { purchaseId: string }): Promise<RefundsState> {
      const ticket = await database.transaction((em) => takeRefundTicket(em, purchaseId));
      const status = await settle(purchaseId, ticket);
      return { status, isOpen: await isRefundAwaited(database.em(), purchaseId) };
    },
  };
}

function isMeant(id: string) {
  return ({ refundId }: RefundState) => refundId === id;
}

/** RangeError: the processor has no unit small enough for the amount. */
function isPermanent(fault: unknown): fault is Error {
  return fault instanceof RangeError || (fault instanceof ProcessorFault && fault.isPermanent);
}

function toFact(state: RefundState, { paymentId, currency }: PaidCharge): RefundFact {
  if (state.currency !== currency) {
    throw new UnknownProcessorState(`refund ${state.processorId} in another currency`);
  }
  const { processorId, refundId, status, amountMinor, failure } = state;
  return { paymentId, processorId, refundId, status, amountMinor, failure };
}
