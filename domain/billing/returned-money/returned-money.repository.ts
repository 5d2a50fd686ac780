// Money that came back, by refunds and by lost disputes: what it does to the payments, the purchase,
// the subscription and the access, and the events about it.
import type { EntityManager } from '../../../platform/database/database.ts';
import { total } from '../../../platform/database/expressions.ts';
import { AccessGrant } from '../../entitlements/entitlement.entity.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import { kysely } from '../../kysely.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import type { Subject } from '../processor-inbox/covered-events.repository.ts';
import type { SubscriptionRow } from '../product-subscriptions/subscription.entity.ts';
import { endAccess } from '../product-subscriptions/subscription-access.repository.ts';
import {
  closeSubscription,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import { withdrawNoOrder } from '../notices/money-alerts.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { paymentsOf } from '../purchases/payment.repository.ts';
import { Purchase, type PurchaseRow } from '../purchases/purchase.entity.ts';
import { decidePeriodOf } from '../recurring/processor-snapshot.ts';
import {
  decidePaymentStatus,
  decideReturnedPurchase,
  type ReturnedStatus,
} from './decide-returned-purchase.ts';
import { toReturnEvent, type ChargeName } from './return-event.ts';

type Move = {
  /** The purchase before the change, under its lock. */
  purchase: PurchaseRow;
  at: Date;
  /** The last move was the bank's decision. */
  isChargeback: boolean;
};

type ReturnedCharge = Awaited<ReturnType<typeof readCharges>>[number];

/**
 * Applies refunds and lost disputes together to a purchase, its payments and its access, so that
 * one withdrawal counts both. Every move of either calls this function.
 */
export async function applyReturnedMoney(em: EntityManager, move: Move) {
  const { purchase } = move;
  const charges = await sumUpReturned(em, { purchaseId: purchase.id });
  // The caller took this lock before those of access and purchase.
  const isBegun = purchase.clearedAt !== null;
  const subscription = isBegun ? await lockSubscriptionOf(em, purchase.id) : null;
  return subscription
    ? applyReturnedCharges(em, { ...move, subscription, charges })
    : applyReturnedTotal(em, move, charges);
}

async function applyReturnedTotal(em: EntityManager, move: Move, charges: ReturnedCharge[]) {
  const { id, status, clearedAt, refundedMinor: before } = move.purchase;
  const [first] = charges;
  // A hosted checkout charges once: its purchase has one payment.
  const grossMinor = charges.reduce((sum, charge) => sum + charge.grossMinor, 0);
  const returnedMinor = charges.reduce((sum, charge) => sum + charge.returnedMinor, 0);
  if (!first || returnedMinor === before) return { status, isMoved: false };
  const returned = { currency: first.currency, grossMinor, returnedMinor };
  const wasCleared = clearedAt !== null;
  const { isChargeback } = move;
  const next = decideReturnedPurchase({ status, wasCleared }, { ...returned, isChargeback });
  await em.nativeUpdate(Purchase, { id }, { refundedMinor: returnedMinor });
  const isGone = await movePurchase(em, move, next);
  // A purchase that never was an order gave no access, and no product was notified of it.
  if (!wasCleared) return { status: next ?? status, isMoved: false };
  const isPart = next === null && status === 'cleared' && returnedMinor > before;
  if (isGone || isPart) await recordEvent(em, toReturnEvent(move, returned));
  return { status: next ?? status, isMoved: true };
}

/** Both rows are locked. */
type RenewedMove = Move & { subscription: SubscriptionRow; charges: ReturnedCharge[] };

/** Applies returned money to a subscription, charge by charge. */
async function applyReturnedCharges(em: EntityManager, move: RenewedMove) {
  const moved = move.charges.filter((charge) => charge.returnedMinor !== charge.beforeMinor);
  let { status } = move.purchase;
  for (const charge of moved) {
    const period = decidePeriodOf(charge, move.subscription);
    if (period === 'current') status = await applyToCurrentPeriod(em, move, charge);
    // A charge after the end was no order, and no product was notified of it.
    if (period === 'older')
      await notifyOfReturn(em, move, charge, { payment_id: charge.paymentId });
  }
  const refundedMinor = move.charges.reduce((sum, charge) => sum + charge.returnedMinor, 0);
  await em.nativeUpdate(Purchase, { id: move.purchase.id }, { refundedMinor });
  return { status, isMoved: moved.length > 0 };
}

/**
 * Ends the subscription and withdraws the access when all of the current period's money is back.
 */
async function applyToCurrentPeriod(em: EntityManager, move: RenewedMove, charge: ReturnedCharge) {
  const { purchase, subscription, isChargeback } = move;
  const bought = { status: purchase.status, wasCleared: true };
  const next = decideReturnedPurchase(bought, { ...charge, isChargeback });
  if (await movePurchase(em, move, next)) {
    // If the money returns, the paid period counts until its end and no longer.
    if (subscription.periodEnd) await endAccess(em, subscription, subscription.periodEnd);
    await closeSubscription(em, subscription.id);
  }
  await notifyOfReturn(em, move, charge);
  return next ?? purchase.status;
}

async function notifyOfReturn(
  em: EntityManager,
  move: Move,
  charge: ReturnedCharge,
  named: ChargeName = {},
): Promise<void> {
  const { beforeMinor, returnedMinor, grossMinor } = charge;
  const wasGone = beforeMinor >= grossMinor;
  if (returnedMinor > beforeMinor && !wasGone)
    await recordEvent(em, toReturnEvent(move, charge, named));
}

/** Writes the returned amount of each payment, and returns it with the amount before. */
export async function sumUpReturned(em: EntityManager, of: Subject) {
  const charges = await readCharges(em, of);
  for (const charge of charges) {
    const { paymentId: id, returnedMinor } = charge;
    await em.nativeUpdate(Payment, { id }, { status: decidePaymentStatus(charge), returnedMinor });
  }
  await withdrawNoOrder(em, of);
  return charges;
}

function readCharges(em: EntityManager, of: Subject) {
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

/**
 * Moves a purchase to the status after returned money, and its access with it; true when the access
 * is gone.
 */
async function movePurchase(
  em: EntityManager,
  { purchase, at }: Move,
  next: ReturnedStatus | null,
): Promise<boolean> {
  if (next === null) return false;
  const { id, productId, personId } = purchase;
  const isGone = next === 'refunded' || next === 'charged_back';
  await em.nativeUpdate(Purchase, { id }, { status: next, refundedAt: isGone ? at : null });
  if (isGone) {
    const grant = { productId, personId, source: id, withdrawnAt: null };
    await em.nativeUpdate(AccessGrant, grant, { withdrawnAt: at });
  }
  if (next === 'cleared') await reopenAccess(em, purchase);
  return isGone;
}

/**
 * Opens again only what the money alone withdrew, and nothing for a deleted account or a removed
 * product.
 */
async function reopenAccess(em: EntityManager, purchase: PurchaseRow): Promise<void> {
  const { id, productId, personId, refundedAt } = purchase;
  if (!(await holdPerson(em, personId))) return;
  await kysely(em)
    .updateTable('accessGrant')
    .set({ withdrawnAt: null })
    .where('productId', '=', productId)
    .where('personId', '=', personId)
    .where('source', '=', id)
    .where('withdrawnAt', '=', refundedAt)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('product')
            .select('product.id')
            .whereRef('product.id', '=', 'accessGrant.productId')
            .where('product.state', '=', 'removed'),
        ),
      ),
    )
    .execute();
}
