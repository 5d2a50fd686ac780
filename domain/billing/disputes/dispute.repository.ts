import { raiseAlert } from '../../alerts/alert.repository.ts';
import { lockAccess, storeAccess } from '../../entitlements/entitlement.repository.ts';
import { LOCK, now, type EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { notifyOfDispute } from '../notices/money-notices.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/covered-events.repository.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import type { ReceivedPayment } from '../ledger/booking.ts';
import { recordDisputeFees, recordReturn, type DisputeFee } from '../ledger/ledger.repository.ts';
import { applyReturnedMoney } from '../returned-money/returned-money.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import { lockPurchase, type FencingToken } from '../purchases/purchase.repository.ts';
import { decideDispute, isDisputeOpen, type DisputeStatus } from './dispute-status.ts';
import { Dispute } from './dispute.entity.ts';

/** A dispute as the processor reports it. */
export type DisputeReading = {
  processorId: string;
  status: DisputeStatus;
  amountMinor: number;
  currency: string;
  reason: string;
  /** The end of the time for an answer to the bank; null where the processor names none. */
  dueAt: Date | null;
  /** The dispute's fees, one for each currency, whatever the outcome. */
  fees: readonly DisputeFee[];
};

type DisputesReading = {
  purchaseId: string;
  fence: FencingToken;
  processor: string;
  /** All disputes of the processor's payment. */
  disputes: readonly DisputeReading[];
  paymentIntentId: string;
};

/** The processor's ids of the payments of a purchase whose money arrived. */
export async function findPaymentIntents(em: EntityManager, purchaseId: string): Promise<string[]> {
  const found = await kysely(em)
    .selectFrom('payment')
    .select('processorId')
    .where('purchaseId', '=', purchaseId)
    .where('status', 'in', RECEIVED_STATUSES)
    .orderBy('id')
    .execute();
  return found.map(({ processorId }) => processorId);
}

/** Applies a reading of disputes in one transaction: rows, access, events, inbox. */
export async function applyDisputes(em: EntityManager, disputed: DisputesReading): Promise<void> {
  const { fence, processor, purchaseId, disputes, paymentIntentId } = disputed;
  const { remainingMs, sequence } = fence;
  const covered = { processor, eventIds: fence.disputeEventIds };
  await lockInbox(em, covered);
  await lockSubscriptionOf(em, purchaseId);
  const access = await lockAccess(em, fence);
  const purchase = await lockPurchase(em, purchaseId);
  const payment = await em.findOneOrFail(Payment, { processorId: paymentIntentId }, LOCK);
  for (const dispute of disputes) {
    await moveDispute(em, { subject: purchaseId, payment, sequence, dispute });
  }
  const returned = { purchase, at: await now(em), isChargeback: true };
  const { isMoved } = await applyReturnedMoney(em, returned);
  const moved = isMoved ? { purchaseId, isChargeback: true } : {};
  await storeAccess(em, access, { reason: 'refunded', ...moved });
  await markHandled(em, covered);
  const { status } = await em.findOneOrFail(Purchase, purchaseId, { refresh: true });
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: true });
}

export type DisputeMove = {
  /** The subject of an alert. */
  subject: string;
  payment: ReceivedPayment & { id: string; currency: string };
  sequence: number;
  dispute: DisputeReading;
};

/** The one place where a dispute moves, so that each move is booked once. */
export async function moveDispute(em: EntityManager, move: DisputeMove): Promise<void> {
  const { payment, sequence, dispute } = move;
  const { processorId, fees } = dispute;
  const known = await em.findOne(Dispute, { processorId }, LOCK);
  // A newer reading was applied while this one was under way.
  if (known && known.sequence > sequence) return;
  const status = decideDispute(known?.status ?? null, dispute.status);
  const disputeId =
    status === null ? await markRead(em, move) : await writeDispute(em, { ...move, status });
  // The bank takes its fee when it opens a dispute, a moment after the dispute is told of.
  const name = `${processorId}:fee:${sequence}`;
  // Of its own money the platform bears it, and has paid it.
  const isOwn = Boolean(payment.membershipId);
  if (!isOwn) await recordDisputeFees(em, { name, paymentId: payment.id, disputeId }, fees);
  if (status !== null) await applyMove(em, { ...move, known, status, disputeId });
}

/** Nothing of it has moved; an older reading that comes later is not applied. */
async function markRead(em: EntityManager, { sequence, dispute }: DisputeMove): Promise<string> {
  const { id } = await kysely(em)
    .updateTable('dispute')
    .set({ sequence, dueAt: dispute.dueAt })
    .where('processorId', '=', dispute.processorId)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function writeDispute(
  em: EntityManager,
  { payment, sequence, dispute, status }: DisputeMove & { status: DisputeStatus },
): Promise<string> {
  const { processorId, amountMinor, currency, reason, dueAt } = dispute;
  const settledAt = isDisputeOpen(status) ? null : NOW;
  const read = { status, amountMinor, dueAt, sequence, settledAt };
  const { id } = await kysely(em)
    .insertInto('dispute')
    .values({
      id: newPublicId('dp_'),
      paymentId: payment.id,
      processorId,
      currency,
      reason,
      ...read,
    })
    .onConflict((conflict) => conflict.column('processorId').doUpdateSet(read))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function applyMove(em: EntityManager, decided: DecidedMove): Promise<void> {
  const { subject, payment, dispute, known, status, disputeId } = decided;
  const { processorId, amountMinor, currency } = dispute;
  const isNew = known === null || known.status === 'warning';
  if (isNew && status === 'open') {
    await notifyOfDispute(em, { ...dispute, disputeId, paymentId: payment.id });
  }
  if (currency === payment.currency) return bookDispute(em, decided);
  const detail = { dispute: processorId, disputed: `${amountMinor} ${currency}` };
  await raiseAlert(em, { kind: 'amount_differs', subject, detail });
}

type DecidedMove = DisputeMove & {
  known: { status: DisputeStatus; amountMinor: number } | null;
  status: DisputeStatus;
  disputeId: string;
};

/** Books a lost dispute, and books it back when it is won: the same amount. */
async function bookDispute(
  em: EntityManager,
  { payment, sequence, dispute, known, status, disputeId }: DecidedMove,
): Promise<void> {
  const wasLost = known?.status === 'lost';
  if (wasLost === (status === 'lost')) return;
  await recordReturn(
    em,
    { ...payment, paymentId: payment.id },
    {
      // It may be lost and won in turn: the sequence of the reading makes each move one of its own.
      name: `${dispute.processorId}:${status}:${sequence}`,
      disputeId,
      kind: 'chargeback',
      changeMinor: wasLost ? -known.amountMinor : dispute.amountMinor,
    },
  );
}
