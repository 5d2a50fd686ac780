import { purchaseWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ASKED_SOON_AT } from '../processor-inbox/covered-events.repository.ts';
import { alertOfRefusal } from '../notices/money-alerts.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { REFUNDABLE, refundableMinor, type IntentReason } from './refund-status.ts';
import { cancelIntents, readTaken } from './refund.repository.ts';

type Intent = {
  /** The page that asks makes the id, so a repeated form is one refund. */
  refundId: string;
  purchaseId: string;
  /** A charge of a subscription; its last one unless named. */
  paymentId?: string;
  amountMinor: number;
  /** Is null when the platform itself refunds. */
  requestedBy: string | null;
  reason: IntentReason;
};

export type IntentRefusal = 'not_refundable' | 'too_much' | 'of_another';

/** Commits the request to send money back and wakes the purchase's actor. */
export async function requestRefund(
  em: EntityManager,
  intent: Intent,
): Promise<{ isNew: boolean } | Refusal<IntentRefusal>> {
  const { purchaseId } = intent;
  // The purchase is locked before the payment, as a reading locks them; the other order would
  // deadlock.
  await em.findOne(Purchase, { id: purchaseId }, LOCK);
  const written = await recordIntent(em, intent);
  if ('isNew' in written && written.isNew) {
    await sendToWorkflow(em, purchaseWorkflow(purchaseId), { kind: 'refund' });
    await kysely(em)
      .updateTable('purchase')
      .set({ askAgainAt: ASKED_SOON_AT })
      .where('id', '=', purchaseId)
      .execute();
  }
  return written;
}

/** Requests and bookings hold the payment's row, so refunds never exceed it. */
async function recordIntent(
  em: EntityManager,
  intent: Intent,
): Promise<{ isNew: boolean } | Refusal<IntentRefusal>> {
  const { refundId, amountMinor, requestedBy, reason } = intent;
  const payment = await lockRefundable(em, intent);
  if (await isKnown(em, intent)) return { isNew: false };
  if (!payment) return refuse('not_refundable');
  const { id: paymentId, currency } = payment;
  const taken = await readTaken(em, paymentId);
  if (amountMinor > refundableMinor(taken)) return refuse('too_much');
  // An id that is taken all the same belongs to another purchase's refund.
  const written = await kysely(em)
    .insertInto('refund')
    .values({ id: refundId, paymentId, amountMinor, currency, requestedBy, reason })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return written.numInsertedOrUpdatedRows === 1n ? { isNew: true } : refuse('of_another');
}

/** Refunds money that is no order, and cancels refunds of money that never came. */
export async function refundOrCancel(
  em: EntityManager,
  moved: { purchaseId: string; next: PurchaseStatus | null; amountMinor: number },
): Promise<void> {
  const { purchaseId, next, amountMinor } = moved;
  if (next === 'failed' || next === 'canceled') await cancelIntents(em, purchaseId);
  if (next !== 'quarantined') return;
  const intent = { refundId: newPublicId('re_'), purchaseId, amountMinor, requestedBy: null };
  const requested = await recordIntent(em, { ...intent, reason: 'not_as_agreed' });
  await alertOfRefusal(em, purchaseId, requested);
}

async function lockRefundable(em: EntityManager, { purchaseId, paymentId }: Intent) {
  return kysely(em)
    .selectFrom('payment')
    .select(['id', 'currency'])
    .where('purchaseId', '=', purchaseId)
    .$if(paymentId !== undefined, (payments) => payments.where('id', '=', paymentId!))
    .where('status', 'in', REFUNDABLE)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

async function isKnown(em: EntityManager, { refundId, purchaseId }: Intent): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.paymentId')
    .select('refund.id')
    .where('refund.id', '=', refundId)
    .where('payment.purchaseId', '=', purchaseId)
    .executeTakeFirst();
  return found !== undefined;
}
