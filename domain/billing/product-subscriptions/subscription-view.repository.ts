import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { BillingInterval } from '../subscriptions/billing-interval.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';

/** A subscription as its person sees it. */
export type SubscriptionView = {
  subscriptionId: string;
  purchaseId: string;
  processorId: string | null;
  status: SubscriptionStatus;
  /** Asked for, and not yet confirmed by the processor. */
  requestedChange: RequestedChange | null;
  amountMinor: number;
  currency: string;
  billingInterval: BillingInterval;
  periodEnd: Date | null;
  graceEndsAt: Date | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  productName: string;
  slug: string;
};

// A subscription that was never paid for is shown as a purchase that came to nothing.
const subscriptionsOf = (em: EntityManager, personId: string) =>
  kysely(em)
    .selectFrom('subscription')
    .innerJoin('purchase', (join) =>
      join
        .onRef('purchase.id', '=', 'subscription.purchaseId')
        .on('purchase.clearedAt', 'is not', null),
    )
    .innerJoin('product', 'product.id', 'subscription.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['subscription.id as subscriptionId', 'subscription.purchaseId'])
    .select(['subscription.processorId', 'subscription.status', 'subscription.requestedChange'])
    .select(['subscription.amountMinor', 'subscription.currency', 'subscription.billingInterval'])
    .select(['subscription.periodEnd', 'subscription.graceEndsAt', 'subscription.cancelAt'])
    .select(['subscription.endedAt', 'product.name as productName', 'slug.slug'])
    .where('subscription.personId', '=', personId);

/** Null for a subscription of another person. */
export async function findSubscriptionOf(
  em: EntityManager,
  { personId, subscriptionId }: { personId: string; subscriptionId: string },
): Promise<SubscriptionView | null> {
  const found = await subscriptionsOf(em, personId)
    .where('subscription.id', '=', subscriptionId)
    .executeTakeFirst();
  return found ?? null;
}

/** Running subscriptions, the latest first. */
export async function listRunningOf(
  em: EntityManager,
  personId: string,
): Promise<SubscriptionView[]> {
  return subscriptionsOf(em, personId)
    .where('subscription.status', '<>', 'ended')
    .orderBy('subscription.id', 'desc')
    .limit(100)
    .execute();
}

/** The subscriptions of the given purchases, ended ones included. */
export async function listSubscriptionsAmong(
  em: EntityManager,
  { personId, purchaseIds }: { personId: string; purchaseIds: string[] },
): Promise<SubscriptionView[]> {
  return subscriptionsOf(em, personId)
    .where('subscription.purchaseId', '=', anyOf(purchaseIds))
    .execute();
}
