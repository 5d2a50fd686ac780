import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import {
  applyFirstPayment,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import type { PurchaseStatus } from './purchase-status.ts';
import { Purchase } from './purchase.entity.ts';

/**
 * The intent never reached the processor, or its response never reached us, and its time is over.
 */
export async function abandonPurchase(
  em: EntityManager,
  { purchaseId, remainingMs }: { purchaseId: string; remainingMs: number },
): Promise<PurchaseStatus> {
  const subscription = await lockSubscriptionOf(em, purchaseId);
  const isCanceled = await cancelUnopened(em, purchaseId);
  if (subscription && isCanceled) {
    await applyFirstPayment(em, { subscription, next: 'canceled', processorId: null });
  }
  const { status } = await em.findOneOrFail(Purchase, purchaseId, { disableIdentityMap: true });
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: false });
  return status;
}

/** Cancels a purchase without a session whose time is over; false when it is not such a one. */
async function cancelUnopened(em: EntityManager, purchaseId: string): Promise<boolean> {
  await kysely(em)
    .updateTable('checkout')
    .from('purchase')
    .set({ status: 'abandoned' })
    .where('purchase.id', '=', purchaseId)
    .whereRef('checkout.id', '=', 'purchase.checkoutId')
    .where('checkout.status', '=', 'open')
    .where('checkout.sessionId', 'is', null)
    .where('checkout.expiresAt', '<=', NOW)
    .execute();
  const canceled = await kysely(em)
    .updateTable('purchase')
    .from('checkout')
    .set({ status: 'canceled' })
    .where('purchase.id', '=', purchaseId)
    .where('purchase.status', '=', 'pending')
    .whereRef('checkout.id', '=', 'purchase.checkoutId')
    .where('checkout.sessionId', 'is', null)
    .where('checkout.status', 'in', ['abandoned', 'replaced'])
    .executeTakeFirst();
  return canceled.numUpdatedRows === 1n;
}
