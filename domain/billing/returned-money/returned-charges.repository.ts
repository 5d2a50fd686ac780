import type { EntityManager } from '../../../platform/database/database.ts';
import { Purchase, type PurchaseRow } from '../purchases/purchase.entity.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { decideReturnedPurchase, type Returned } from '../refunds/refund-status.ts';
import { moveReturned, recordReturnEvent } from './returned-access.repository.ts';
import { closeSubscription } from '../product-subscriptions/subscription.repository.ts';
import { endAccess } from '../product-subscriptions/subscription-money.repository.ts';
import type { SubscriptionRow } from '../product-subscriptions/subscription.entity.ts';
import { decidePeriodOf } from '../recurring/processor-snapshot.ts';

export type ReturnedCharge = Returned & {
  paymentId: string;
  currency: string;
  periodStart: Date | null;
  /** The amount that was back before. */
  beforeMinor: number;
};

type Move = {
  /** Both rows are locked. */
  subscription: SubscriptionRow;
  purchase: PurchaseRow;
  charges: ReturnedCharge[];
  at: Date;
  isChargeback: boolean;
};

/** Applies returned money to a subscription, charge by charge. */
export async function applyReturnedCharges(
  em: EntityManager,
  move: Move,
): Promise<{ status: PurchaseStatus; isMoved: boolean }> {
  const moved = move.charges.filter((charge) => charge.returnedMinor !== charge.beforeMinor);
  let { status } = move.purchase;
  for (const charge of moved) {
    const period = decidePeriodOf(charge, move.subscription);
    if (period === 'current') status = await applyToCurrentPeriod(em, move, charge);
    // A charge after the end was no order, and no product was notified of it.
    if (period === 'older') await notifyOfReturn(em, move, { charge, isOlder: true });
  }
  const refundedMinor = move.charges.reduce((sum, charge) => sum + charge.returnedMinor, 0);
  await em.nativeUpdate(Purchase, { id: move.purchase.id }, { refundedMinor });
  return { status, isMoved: moved.length > 0 };
}

/**
 * Ends the subscription and withdraws the access when all of the current period's money is back.
 */
async function applyToCurrentPeriod(
  em: EntityManager,
  move: Move,
  charge: ReturnedCharge,
): Promise<PurchaseStatus> {
  const { purchase, subscription, at, isChargeback } = move;
  const bought = { status: purchase.status, wasCleared: true };
  const next = decideReturnedPurchase(bought, { ...charge, isChargeback });
  if (await moveReturned(em, { purchase, next, at })) {
    // If the money returns, the paid period counts until its end and no longer.
    if (subscription.periodEnd) await endAccess(em, subscription, subscription.periodEnd);
    await closeSubscription(em, subscription.id);
  }
  await notifyOfReturn(em, move, { charge, isOlder: false });
  return next ?? purchase.status;
}

async function notifyOfReturn(
  em: EntityManager,
  { purchase, isChargeback }: Move,
  { charge, isOlder }: { charge: ReturnedCharge; isOlder: boolean },
): Promise<void> {
  const { paymentId, beforeMinor, returnedMinor, grossMinor } = charge;
  const wasGone = beforeMinor >= grossMinor;
  if (returnedMinor <= beforeMinor || wasGone) return;
  const isGone = returnedMinor >= grossMinor;
  const named = isOlder ? { paymentId } : {};
  await recordReturnEvent(em, { purchase, total: charge, isGone, isChargeback, ...named });
}
