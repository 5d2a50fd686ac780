import { LockMode } from '@mikro-orm/core';
import { raiseAlert } from '../../alerts/alert.store.ts';
import { changeAccess } from '../../entitlements/entitlement.store.ts';
import { now, rows, type EntityManager } from '../../platform/database.ts';
import { newPublicId } from '../../platform/ids.ts';
import { lockInbox, markHandled } from '../inbox/inbox.store.ts';
import { recordReturn } from '../ledger/ledger.store.ts';
import { lockSubscriptionOf } from '../subscriptions/subscription-lock.store.ts';
import { followReturned } from '../refunds/returned-money.store.ts';
import { Payment, Purchase } from '../purchase.entity.ts';
import { scheduleAsk } from '../inbox/reconcile.store.ts';
import type { Ticket } from '../purchase.store.ts';
import { decideDispute, isDisputeOpen, type DisputeStatus } from './dispute-status.ts';
import { Dispute } from './dispute.entity.ts';

/** A dispute as the processor shows it. */
export type DisputeReading = {
  processorId: string;
  status: DisputeStatus;
  amountMinor: number;
  currency: string;
  reason: string;
};

type Disputed = {
  purchaseId: string;
  ticket: Ticket;
  processor: string;
  /** Of the processor's payment, all that it knows. */
  disputes: readonly DisputeReading[];
  paymentIntentId: string;
};

/** The processor's ids of the charges of a purchase. */
export async function findPaymentIntents(em: EntityManager, purchaseId: string): Promise<string[]> {
  const found = await em.find(Payment, { purchaseId }, { orderBy: { id: 'asc' } });
  return found.map(({ processorId }) => processorId);
}

/** Applies what the processor says of disputes in one transaction: rows, access, events, inbox. */
export async function applyDisputes(em: EntityManager, disputed: Disputed): Promise<void> {
  const { ticket, processor, purchaseId } = disputed;
  const { personId, productId, remainingMs } = ticket;
  const covered = { processor, eventIds: ticket.disputeEventIds };
  await lockInbox(em, covered);
  await lockSubscriptionOf(em, purchaseId);
  await changeAccess(
    em,
    { productId, personId },
    { cause: 'refunded', write: () => settleDisputes(em, disputed) },
  );
  await markHandled(em, covered);
  const { status } = await em.findOneOrFail(Purchase, purchaseId, { refresh: true });
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: true });
}

async function settleDisputes(
  em: EntityManager,
  { purchaseId, ticket, disputes, paymentIntentId }: Disputed,
): Promise<{ purchaseId?: string; isChargeback?: boolean }> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
  const purchase = await em.findOneOrFail(Purchase, purchaseId, lock);
  const payment = await em.findOneOrFail(Payment, { processorId: paymentIntentId }, lock);
  for (const dispute of disputes) {
    await moveDispute(em, { purchaseId, payment, ticket: ticket.ticket, dispute });
  }
  const at = await now(em);
  const { isMoved } = await followReturned(em, { purchase, at, isChargeback: true });
  return isMoved ? { purchaseId, isChargeback: true } : {};
}

type Move = {
  purchaseId: string;
  payment: { id: string; currency: string; grossMinor: number; cutMinor: number };
  ticket: number;
  dispute: DisputeReading;
};

/** The one place where a dispute moves: whatever is booked of it is booked at its end, once for each move. */
async function moveDispute(em: EntityManager, move: Move): Promise<void> {
  const { purchaseId, payment, ticket, dispute } = move;
  const { processorId, amountMinor, currency, reason } = dispute;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const known = await em.findOne(Dispute, { processorId }, { lockMode, refresh: true });
  // A newer reading was applied while this one was under way.
  if (known && known.ticket > ticket) return;
  const status = decideDispute(known?.status ?? null, dispute.status);
  if (status === null) return;
  const isOver = !isDisputeOpen(status);
  const facts = [status, amountMinor, currency, reason, ticket, isOver];
  await rows(
    em,
    `insert into dispute (id, payment_id, processor_id, status, amount_minor, currency, reason,
       ticket, settled_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, case when ? then gatehouse_now() end)
     on conflict (processor_id) do update set status = excluded.status,
       amount_minor = excluded.amount_minor, ticket = excluded.ticket,
       settled_at = excluded.settled_at`,
    [newPublicId('dp_'), payment.id, processorId, ...facts],
  );
  if (currency === payment.currency) return bookDispute(em, { ...move, known, status });
  const detail = { dispute: processorId, disputed: `${amountMinor} ${currency}` };
  await raiseAlert(em, { kind: 'amount_differs', subject: purchaseId, detail });
}

type Decided = Move & { known: { status: DisputeStatus; amountMinor: number } | null };

/** What a lost one takes, a won one gives back: as much as was booked of it. */
async function bookDispute(
  em: EntityManager,
  { payment, ticket, dispute, known, status }: Decided & { status: DisputeStatus },
): Promise<void> {
  const wasLost = known?.status === 'lost';
  if (wasLost === (status === 'lost')) return;
  await recordReturn(
    em,
    { ...payment, paymentId: payment.id },
    {
      // It may be lost and won in turn: the ticket of the reading makes each move one of its own.
      name: `${dispute.processorId}:${status}:${ticket}`,
      kind: 'chargeback',
      changeMinor: wasLost ? -known.amountMinor : dispute.amountMinor,
    },
  );
}
