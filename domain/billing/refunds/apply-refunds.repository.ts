import { raiseAlert } from '../../alerts/alert.repository.ts';
import { lockAccess, storeAccess } from '../../entitlements/entitlement.repository.ts';
import { LOCK, now, type EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { recordReturn, type BookedPayment } from '../ledger/ledger.repository.ts';
import { notifyOfRefund } from '../notices/money-notices.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/covered-events.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { lockPurchase } from '../purchases/purchase.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import { applyReturnedMoney } from '../returned-money/returned-money.repository.ts';
import { decideRefund, type RefundReading } from './refund-status.ts';
import { Refund } from './refund.entity.ts';
import type { RefundFencingToken } from './refund.repository.ts';

/** A refund as the processor reports it, ours or its own. */
export type RefundFact = {
  paymentId: string;
  processorId: string;
  /** Our id of the refund, when we submitted it. */
  refundId: string | null;
  status: RefundReading;
  amountMinor: number;
  failure: string | null;
};

/** A reading of all refunds, with the sequence number that was taken before it. */
type RefundsReading = {
  purchaseId: string;
  fence: RefundFencingToken;
  facts: RefundFact[];
  processor: string;
};

/** Applies a reading of refunds in one transaction: rows, ledger, access, events, inbox. */
export async function applyRefundFacts(em: EntityManager, read: RefundsReading) {
  const { purchaseId, fence, processor } = read;
  await lockInbox(em, { processor, eventIds: fence.eventIds });
  await lockSubscriptionOf(em, purchaseId);
  const access = await lockAccess(em, fence);
  const status = await applyLocked(em, read);
  await storeAccess(em, access, { reason: 'refunded', purchaseId });
  await scheduleAsk(em, { purchaseId, status, remainingMs: 0, hasSession: true });
  return status;
}

async function applyLocked(
  em: EntityManager,
  { purchaseId, fence, facts, processor }: RefundsReading,
): Promise<PurchaseStatus> {
  const purchase = await lockPurchase(em, purchaseId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedSequence >= fence.sequence) return purchase.status;
  const payments = await em.find(Payment, { purchaseId }, { ...LOCK, orderBy: { id: 'asc' } });
  const at = await now(em);
  for (const fact of facts) {
    const payment = payments.find(({ id }) => id === fact.paymentId)!;
    await applyFact(em, { fact, payment: { ...payment, paymentId: payment.id }, at });
  }
  await em.nativeUpdate(Purchase, { id: purchaseId }, { appliedSequence: fence.sequence });
  const { status } = await applyReturnedMoney(em, { purchase, at, isChargeback: false });
  await markHandled(em, { processor, eventIds: fence.eventIds });
  return status;
}

type ReportedRefund = { fact: RefundFact; payment: BookedPayment; at: Date };

/** Applies one refund, read again under the payment's lock, so that it is recorded once. */
export async function applyFact(em: EntityManager, { fact, payment, at }: ReportedRefund) {
  const refund = (await lockRefund(em, fact)) ?? (await insertFact(em, { fact, payment }));
  const { id } = refund;
  const next = decideRefund(refund.status, fact.status);
  await em.nativeUpdate(Refund, { id, processorId: null }, { processorId: fact.processorId });
  if (next === null) return;
  const isReversed = next === 'reversed';
  // The booked amount is booked back.
  const amountMinor = isReversed ? refund.amountMinor : fact.amountMinor;
  const settledAt = next === 'submitted' || isReversed ? refund.settledAt : at;
  const { failure } = fact;
  const reversedAt = isReversed ? at : null;
  const moved = { status: next, amountMinor, failure, settledAt, reversedAt };
  await em.nativeUpdate(Refund, { id }, moved);
  if (next === 'succeeded' || isReversed) {
    await recordReturn(em, payment, {
      name: `${id}:${next}`,
      refundId: id,
      kind: isReversed ? 'reversal' : 'refund',
      changeMinor: isReversed ? -amountMinor : amountMinor,
    });
  }
  if (next === 'succeeded') {
    const { paymentId, currency } = payment;
    await notifyOfRefund(em, { refundId: id, paymentId, amountMinor, currency });
  }
  if (next === 'failed' || next === 'canceled' || isReversed) {
    await raiseAlert(em, { kind: 'refund_failed', subject: id, detail: { failure } });
  }
}

/** Finds the refund by the processor's id, else by ours. */
async function lockRefund(em: EntityManager, fact: RefundFact) {
  const { paymentId, processorId, refundId } = fact;
  return kysely(em)
    .selectFrom('refund')
    .select(['id', 'status', 'amountMinor', 'settledAt'])
    .where('paymentId', '=', paymentId)
    .where(({ and, eb, or }) =>
      or([
        eb('processorId', '=', processorId),
        ...(refundId === null
          ? []
          : [and([eb('processorId', 'is', null), eb('id', '=', refundId)])]),
      ]),
    )
    .orderBy('processorId', (order) => order.asc().nullsLast())
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** A refund that was made at the processor is a fact, whatever is left to refund. */
async function insertFact(
  em: EntityManager,
  { fact, payment }: { fact: RefundFact; payment: BookedPayment },
) {
  const id = newPublicId('re_');
  const { processorId, amountMinor } = fact;
  const { paymentId, currency } = payment;
  const made = { id, status: 'submitted' as const, amountMinor };
  await em.insert(Refund, { ...made, paymentId, currency, processorId });
  return { ...made, settledAt: null };
}
