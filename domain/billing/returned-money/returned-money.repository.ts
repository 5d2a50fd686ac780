import type { EntityManager } from '../../../platform/database/database.ts';
import { total } from '../../../platform/database/expressions.ts';
import type { Subject } from '../processor-inbox/handled-event.repository.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { withdrawNoOrder } from '../purchases/money-alerts.repository.ts';
import { paymentsOf } from '../purchases/payment.repository.ts';
import { Purchase, type PurchaseRow } from '../purchases/purchase.entity.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { applyReturnedCharges, type ReturnedCharge } from './returned-charges.repository.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import { decidePaymentStatus, decideReturnedPurchase } from '../refunds/refund-status.ts';
import { moveReturned, recordReturnEvent } from './returned-access.repository.ts';

type Sum = Pick<ReturnedCharge, 'currency' | 'grossMinor' | 'returnedMinor'>;

type Moved = {
  /** The purchase before the change, under its lock. */
  purchase: PurchaseRow;
  at: Date;
  /** The last move was the bank's decision. */
  isChargeback: boolean;
};

type Applied = { status: PurchaseStatus; isMoved: boolean };

/**
 * Applies refunds and lost disputes together to a purchase, its payments and its access, so that
 * one withdrawal counts both. Every move of either calls this function.
 */
export async function applyReturnedMoney(em: EntityManager, moved: Moved): Promise<Applied> {
  const { purchase } = moved;
  const charges = await sumUpReturned(em, { purchaseId: purchase.id });
  // The caller took this lock before those of access and purchase.
  const isBegun = purchase.clearedAt !== null;
  const subscription = isBegun ? await lockSubscriptionOf(em, purchase.id) : null;
  return subscription
    ? applyReturnedCharges(em, { ...moved, subscription, charges })
    : applyReturnedTotal(em, { ...moved, sum: addUp(charges) });
}

async function applyReturnedTotal(
  em: EntityManager,
  { purchase, at, isChargeback, sum }: Moved & { sum: Sum | null },
): Promise<Applied> {
  const { id, status, clearedAt, refundedMinor: before } = purchase;
  if (sum === null || sum.returnedMinor === before) return { status, isMoved: false };
  const { returnedMinor } = sum;
  const wasCleared = clearedAt !== null;
  const next = decideReturnedPurchase({ status, wasCleared }, { ...sum, isChargeback });
  await em.nativeUpdate(Purchase, { id }, { refundedMinor: returnedMinor });
  const isGone = await moveReturned(em, { purchase, next, at });
  // A purchase that never was an order gave no access, and no product was notified of it.
  if (!wasCleared) return { status: next ?? status, isMoved: false };
  const isPart = next === null && status === 'cleared' && returnedMinor > before;
  if (isGone || isPart) await recordReturnEvent(em, { purchase, total: sum, isGone, isChargeback });
  return { status: next ?? status, isMoved: true };
}

/** Writes the returned amount of each payment, and returns it with the amount before. */
export async function sumUpReturned(em: EntityManager, of: Subject): Promise<ReturnedCharge[]> {
  const charges = await readCharges(em, of);
  for (const charge of charges) {
    const { paymentId: id, returnedMinor } = charge;
    await em.nativeUpdate(Payment, { id }, { status: decidePaymentStatus(charge), returnedMinor });
  }
  await withdrawNoOrder(em, of);
  return charges;
}

async function readCharges(em: EntityManager, of: Subject): Promise<ReturnedCharge[]> {
  return paymentsOf(em, of)
    .select(['payment.id as paymentId', 'payment.grossMinor', 'payment.currency'])
    .select(['payment.periodStart', 'payment.returnedMinor as beforeMinor'])
    .select(({ eb, selectFrom }) => {
      const refunded = selectFrom('refund')
        .select(({ fn }) => fn.sum('refund.amountMinor').as('sum'))
        .whereRef('refund.paymentId', '=', 'payment.id')
        .where('refund.status', '=', 'succeeded');
      const lost = selectFrom('dispute')
        .select(({ fn }) => fn.sum('dispute.amountMinor').as('sum'))
        .whereRef('dispute.paymentId', '=', 'payment.id')
        .where('dispute.status', '=', 'lost')
        .whereRef('dispute.currency', '=', 'payment.currency');
      return eb(total(refunded), '+', total(lost)).as('returnedMinor');
    })
    .where('payment.status', 'in', RECEIVED_STATUSES)
    .orderBy('payment.id')
    .execute();
}

/** A hosted checkout charges once: its purchase has one payment. */
function addUp(sums: readonly Sum[]): Sum | null {
  const [first] = sums;
  if (!first) return null;
  return {
    currency: first.currency,
    grossMinor: sums.reduce((sum, { grossMinor }) => sum + grossMinor, 0),
    returnedMinor: sums.reduce((sum, { returnedMinor }) => sum + returnedMinor, 0),
  };
}
