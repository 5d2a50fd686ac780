import { LockMode } from '@mikro-orm/core';
import { raiseAlert } from '../../alerts/alert.store.ts';
import { changeAccess } from '../../entitlements/entitlement.store.ts';
import { toArrayParameter } from '../../platform/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { newPublicId } from '../../platform/ids.ts';
import { recordEvent } from '../../webhooks/event.store.ts';
import { ProcessorEvent } from '../processor-event.entity.ts';
import { Payment, Purchase } from '../purchase.entity.ts';
import { scheduleAsk } from '../inbox/reconcile.store.ts';
import type { Ticket } from '../purchase.store.ts';
import {
  decideDispute,
  isDisputeOpen,
  isReturnedInFull,
  type DisputeStatus,
  type Returned,
} from './dispute-status.ts';
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
  const handled = { processor, id: { $in: ticket.disputeEventIds } };
  await em.find(ProcessorEvent, handled, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
  });
  await changeAccess(
    em,
    { productId, personId },
    { cause: 'refunded', write: () => settleDisputes(em, disputed) },
  );
  await rows(
    em,
    `update processor_event set handled_at = gatehouse_now(), parked_reason = null
     where processor = ? and id = any(?::text[]) and handled_at is null`,
    [processor, toArrayParameter(ticket.disputeEventIds)],
  );
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
  const before = await readReturned(em, payment);
  for (const dispute of disputes) {
    await moveDispute(em, { purchaseId, payment, ticket: ticket.ticket, dispute });
  }
  const after = await readReturned(em, payment);
  if (after.returnedMinor === before.returnedMinor) return {};
  await followMoney(em, { purchase, payment, before, after });
  return { purchaseId, isChargeback: true };
}

type Move = {
  purchaseId: string;
  payment: { id: string; currency: string };
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
  if (currency === payment.currency) return;
  const detail = { dispute: processorId, disputed: `${amountMinor} ${currency}` };
  await raiseAlert(em, { kind: 'amount_differs', subject: purchaseId, detail });
}

/**
 * How much of a payment went back. Lost disputes only so far: refunds that succeeded are added here,
 * since one withdrawal counts both.
 */
async function readReturned(
  em: EntityManager,
  payment: { id: string; grossMinor: number; currency: string },
): Promise<Returned> {
  const [row] = await rows<{ returned: string }>(
    em,
    `select coalesce(sum(amount_minor), 0) as returned from dispute
     where payment_id = ? and status = 'lost' and currency = ?`,
    [payment.id, payment.currency],
  );
  return { grossMinor: payment.grossMinor, returnedMinor: Number(row!.returned) };
}

type Money = {
  purchase: { id: string; productId: string; personId: string };
  payment: { id: string; currency: string };
  before: Returned;
  after: Returned;
};

/** Access follows the money: all of it back withdraws, less than all re-opens. */
async function followMoney(em: EntityManager, money: Money): Promise<void> {
  const { purchase, payment, before, after } = money;
  const isGone = isReturnedInFull(after);
  const { id: purchaseId, productId, personId } = purchase;
  await rows(
    em,
    `update payment set status = ? where id = ? and status in
       ('succeeded', 'partially_refunded', 'refunded')`,
    [
      isGone ? 'refunded' : after.returnedMinor > 0 ? 'partially_refunded' : 'succeeded',
      payment.id,
    ],
  );
  if (isGone !== isReturnedInFull(before)) await moveAccess(em, { ...purchase, isGone });
  if (after.returnedMinor < before.returnedMinor) return;
  await recordEvent(em, {
    productId,
    name: isGone ? 'purchase.refunded' : 'purchase.partially_refunded',
    data: {
      purchase_id: purchaseId,
      user_id: personId,
      product_id: productId,
      gross_minor: after.grossMinor,
      refunded_minor: Math.min(after.returnedMinor, after.grossMinor),
      currency: payment.currency,
      chargeback: true,
    },
  });
}

/** One withdrawal, however often the money is decided on; nobody gets back into a deleted account. */
async function moveAccess(
  em: EntityManager,
  { id, isGone }: { id: string; isGone: boolean },
): Promise<void> {
  const [from, to] = isGone ? ['cleared', 'charged_back'] : ['charged_back', 'cleared'];
  await rows(
    em,
    `with moved as (
       update purchase set status = ? where id = ? and status = ?
       returning id, product_id, person_id)
     update access_grant g set withdrawn_at = case when ? then gatehouse_now() end
     from moved m join person p on p.id = m.person_id
     where g.product_id = m.product_id and g.person_id = m.person_id and g.source = m.id
       and case when ? then g.withdrawn_at is null else p.deleted_at is null end`,
    [to, id, from, isGone, isGone],
  );
}
