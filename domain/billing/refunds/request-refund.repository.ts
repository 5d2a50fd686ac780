import { raiseAlert } from '../../alerts/alert.repository.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { purchaseActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { ASKED_SOON } from '../processor-inbox/reconcile-schedule.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { REFUNDABLE, refundableMinor, type IntentReason, type Taken } from './refund-status.ts';

type Intent = {
  /** The page that asks makes the id, so a repeated form is one refund. */
  refundId: string;
  purchaseId: string;
  /** A charge of a subscription; its last one unless named. */
  paymentId?: string;
  amountMinor: number;
  /** Null when the platform itself refunds. */
  requestedBy: string | null;
  reason: IntentReason;
};

export type IntentRefusal = 'not_refundable' | 'too_much' | 'of_another';

/** Commits the request to send money back and wakes the purchase's actor. */
export async function requestRefund(
  em: EntityManager,
  intent: Intent,
): Promise<{ isNew: boolean } | Refusal<IntentRefusal>> {
  // The purchase is locked before the payment, as a reading locks them; the other order would
  // deadlock.
  await rows(em, 'select 1 from purchase where id = ? for update', [intent.purchaseId]);
  const written = await recordIntent(em, intent);
  if ('isNew' in written && written.isNew) {
    await sendToActor(em, purchaseActor(intent.purchaseId), { kind: 'refund' });
    await rows(em, `update purchase set ${ASKED_SOON} where id = ?`, [intent.purchaseId]);
  }
  return written;
}

/** Requests and bookings hold the payment's row, so refunds never exceed it. */
export async function recordIntent(
  em: EntityManager,
  { refundId, purchaseId, paymentId, amountMinor, requestedBy, reason }: Intent,
): Promise<{ isNew: boolean } | Refusal<IntentRefusal>> {
  const [payment] = await rows<{ id: string; currency: string }>(
    em,
    `select id, currency from payment
     where purchase_id = ? and (?::text is null or id = ?)
       and status = any(?::text[])
     order by created_at desc, id desc limit 1 for update`,
    [purchaseId, paymentId ?? null, paymentId ?? null, toArrayParameter(REFUNDABLE)],
  );
  if (await isKnown(em, { refundId, purchaseId })) return { isNew: false };
  if (!payment) return refuse('not_refundable');
  const taken = await readTaken(em, payment.id);
  if (amountMinor > refundableMinor(taken)) return refuse('too_much');
  // An id that is taken all the same belongs to another purchase's refund.
  const written = await rows(
    em,
    `insert into refund (id, payment_id, amount_minor, currency, requested_by, reason)
     values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing returning 1`,
    [refundId, payment.id, amountMinor, payment.currency, requestedBy, reason],
  );
  return written.length === 1 ? { isNew: true } : refuse('of_another');
}

async function isKnown(
  em: EntityManager,
  key: { refundId: string; purchaseId: string },
): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from refund r join payment p on p.id = r.payment_id
     where r.id = ? and p.purchase_id = ?`,
    [key.refundId, key.purchaseId],
  );
  return found.length > 0;
}

/** The amounts of a payment that are already used. */
export async function readTaken(em: EntityManager, paymentId: string): Promise<Taken> {
  const [row] = await rows<Record<keyof Taken, string>>(
    em,
    `select p.gross_minor as "grossMinor", 
       coalesce(sum(r.amount_minor) filter (where r.status = 'succeeded'), 0) as "refundedMinor",
       coalesce(sum(r.amount_minor) filter (where r.status in ('requested', 'submitted')), 0)
         as "underWayMinor",
       (select coalesce(sum(d.amount_minor), 0) from dispute d where d.payment_id = p.id
         and d.status in ('open', 'lost') and d.currency = p.currency) as "disputedMinor"
     from payment p left join refund r on r.payment_id = p.id
     where p.id = ? group by p.id`,
    [paymentId],
  );
  return {
    grossMinor: Number(row!.grossMinor),
    refundedMinor: Number(row!.refundedMinor),
    underWayMinor: Number(row!.underWayMinor),
    disputedMinor: Number(row!.disputedMinor),
  };
}

/** The money never came, so nothing can be refunded. */
export async function cancelIntents(em: EntityManager, purchaseId: string): Promise<void> {
  await rows(
    em,
    `update refund r set status = 'canceled', settled_at = gatehouse_now() from payment p
     where p.id = r.payment_id and p.purchase_id = ? and r.status = 'requested'`,
    [purchaseId],
  );
}

/** Belongs before the call to the processor: from now on the money may be on its way. */
export async function markSubmitted(em: EntityManager, refundId: string): Promise<void> {
  await rows(em, `update refund set status = 'submitted' where id = ? and status = 'requested'`, [
    refundId,
  ]);
}

/** The processor refused for good and has no such refund. */
export async function failIntent(
  em: EntityManager,
  { refundId, failure }: { refundId: string; failure: string },
): Promise<void> {
  await rows(
    em,
    `update refund set status = 'failed', failure = ?, settled_at = gatehouse_now()
     where id = ? and status = 'submitted' and processor_id is null`,
    [failure.slice(0, 200), refundId],
  );
  await raiseAlert(em, { kind: 'refund_failed', subject: refundId, detail: { failure } });
}
