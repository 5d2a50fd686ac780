import { raiseAlert } from '../../alerts/alert.repository.ts';
import { changeAccess } from '../../entitlements/entitlement.repository.ts';
import { LOCK, now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { recordReturn, type BookedPayment } from '../ledger/ledger.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/handled-event.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { lockPurchase } from '../purchases/purchase.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import { followReturned } from './returned-money.repository.ts';
import { decideRefund, type RefundReading, type RefundStatus } from './refund-status.ts';
import type { RefundFence } from './refund-fence.repository.ts';

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

type Settlement = {
  purchaseId: string;
  fence: RefundFence;
  facts: RefundFact[];
  processor: string;
};

/** Applies a reading of refunds in one transaction: rows, ledger, access, events, inbox. */
export async function applyRefundFacts(
  em: EntityManager,
  settlement: Settlement,
): Promise<PurchaseStatus> {
  const { purchaseId, fence, processor } = settlement;
  const { productId, personId, eventIds } = fence;
  await lockInbox(em, { processor, eventIds });
  await lockSubscriptionOf(em, purchaseId);
  const { status } = await changeAccess(
    em,
    { productId, personId },
    { reason: 'refunded', write: () => settle(em, settlement) },
  );
  await scheduleAsk(em, { purchaseId, status, remainingMs: 0, hasSession: true });
  return status;
}

async function settle(
  em: EntityManager,
  { purchaseId, fence, facts, processor }: Settlement,
): Promise<{ status: PurchaseStatus; purchaseId: string }> {
  const purchase = await lockPurchase(em, purchaseId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedSequence >= fence.sequence) return { status: purchase.status, purchaseId };
  const payments = await em.find(Payment, { purchaseId }, { ...LOCK, orderBy: { id: 'asc' } });
  const at = await now(em);
  for (const fact of facts) {
    const payment = payments.find(({ id }) => id === fact.paymentId)!;
    await applyFact(em, { fact, payment: { ...payment, paymentId: payment.id }, at });
  }
  await em.nativeUpdate(Purchase, { id: purchaseId }, { appliedSequence: fence.sequence });
  const { status } = await followReturned(em, { purchase, at, isChargeback: false });
  await markHandled(em, { processor, eventIds: fence.eventIds });
  return { status, purchaseId };
}

export type ToldRefund = { fact: RefundFact; payment: BookedPayment; at: Date };

/** Applies one refund, read again under the payment's lock, so that it is recorded once. */
export async function applyFact(
  em: EntityManager,
  { fact, payment, at }: ToldRefund,
): Promise<void> {
  const row = (await findRefund(em, fact)) ?? (await insertFact(em, { fact, payment }));
  const next = decideRefund(row.status, fact.status);
  await rows(em, 'update refund set processor_id = ? where id = ? and processor_id is null', [
    fact.processorId,
    row.id,
  ]);
  if (next === null) return;
  const isReversed = next === 'reversed';
  // The booked amount is booked back.
  const amountMinor = isReversed ? row.amountMinor : fact.amountMinor;
  const settledAt = next === 'submitted' || isReversed ? row.settledAt : at;
  await rows(
    em,
    `update refund set status = ?, amount_minor = ?, failure = ?, settled_at = ?, reversed_at = ?
     where id = ?`,
    [next, amountMinor, fact.failure, settledAt, isReversed ? at : null, row.id],
  );
  if (next !== 'succeeded' && !isReversed) return;
  await recordReturn(em, payment, {
    name: `${row.id}:${next}`,
    refundId: row.id,
    kind: isReversed ? 'reversal' : 'refund',
    changeMinor: isReversed ? -amountMinor : amountMinor,
  });
  if (!isReversed) return;
  const detail = { failure: fact.failure };
  await raiseAlert(em, { kind: 'refund_failed', subject: row.id, detail });
}

type RefundRow = {
  id: string;
  status: RefundStatus;
  amountMinor: number;
  settledAt: Date | string | null;
};

async function findRefund(em: EntityManager, fact: RefundFact): Promise<RefundRow | null> {
  const [row] = await rows<Omit<RefundRow, 'amountMinor'> & { amountMinor: string }>(
    em,
    `select id, status, amount_minor as "amountMinor", settled_at as "settledAt" from refund
     where payment_id = ? and (processor_id = ? or (processor_id is null and id = ?))
     order by processor_id nulls last limit 1 for update`,
    [fact.paymentId, fact.processorId, fact.refundId],
  );
  return row ? { ...row, amountMinor: Number(row.amountMinor) } : null;
}

/** A refund that was made at the processor is a fact, whatever is left to refund. */
async function insertFact(
  em: EntityManager,
  { fact, payment }: { fact: RefundFact; payment: BookedPayment },
): Promise<RefundRow> {
  const id = newPublicId('re_');
  const { processorId, amountMinor } = fact;
  await rows(
    em,
    `insert into refund (id, payment_id, amount_minor, currency, status, processor_id)
     values (?, ?, ?, ?, 'submitted', ?)`,
    [id, payment.paymentId, amountMinor, payment.currency, processorId],
  );
  return { id, status: 'submitted', amountMinor, settledAt: null };
}
