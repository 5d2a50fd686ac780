import type { PriceView } from '../../catalog/product.repository.ts';
import { LOCK, now, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { BILLING_INTERVALS } from '../subscriptions/billing-interval.ts';
import { decideDue, waitForDueMs } from '../subscriptions/subscription-due.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';

/** Writes a subscription with its purchase, on the current terms; nothing for a single payment. */
export async function openSubscription(
  em: EntityManager,
  bought: { purchaseId: string; personId: string; productId: string; price: PriceView },
): Promise<void> {
  const { price, ...of } = bought;
  const billingInterval = BILLING_INTERVALS[price.kind];
  if (billingInterval === null) return;
  const { priceId, amountMinor, currency } = price;
  const agreed = { priceId, amountMinor, currency, billingInterval };
  await em.insert(Subscription, { id: newPublicId('sub_'), ...of, ...agreed });
}

/**
 * Takes the lock before those of the entitlement and the purchase; every change of money or access
 * uses this order.
 */
export async function lockSubscriptionOf(
  em: EntityManager,
  purchaseId: string,
): Promise<SubscriptionRow | null> {
  return em.findOne(Subscription, { purchaseId }, LOCK);
}

export async function lockSubscription(em: EntityManager, id: string): Promise<SubscriptionRow> {
  return em.findOneOrFail(Subscription, { id }, LOCK);
}

/** What the workflow and operators need to know. */
export type SubscriptionState = {
  status: SubscriptionStatus | 'dead_lettered';
  /** Something is ahead, or the processor has yet to confirm the end. */
  isOpen: boolean;
  waitMs: number;
  waitsFor: string;
  productId: string;
  personId: string;
};

export async function readSubscriptionState(
  em: EntityManager,
  id: string,
): Promise<SubscriptionState> {
  const found = await em.findOneOrFail(Subscription, { id }, { disableIdentityMap: true });
  const { status, isClosing, productId, personId } = found;
  const due = decideDue(found);
  const waitMs = Math.ceil(waitForDueMs(due, await now(em)));
  const isRunning = status !== 'ended' && status !== 'incomplete';
  const waitsFor = isClosing ? 'the end at the processor' : (due?.what ?? 'its first period');
  return { status, isOpen: isRunning || isClosing, waitMs, waitsFor, productId, personId };
}
