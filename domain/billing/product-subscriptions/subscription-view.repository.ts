import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { SUBSCRIPTION_EVENTS } from '../processor-inbox/event-type.ts';
import { unhandledEventsOf } from '../processor-inbox/covered-events.repository.ts';

/** A subscription as its person sees it. */
export type SubscriptionView = Awaited<ReturnType<typeof listRunningOf>>[number];

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
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .where('subscription.personId', '=', personId);

/** Returns null for a subscription of another person. */
export async function findSubscriptionOf(
  em: EntityManager,
  { personId, subscriptionId }: { personId: string; subscriptionId: string },
) {
  const found = await subscriptionsOf(em, personId)
    .where('subscription.id', '=', subscriptionId)
    .executeTakeFirst();
  return found ?? null;
}

/** Running subscriptions, the latest first. */
export async function listRunningOf(em: EntityManager, personId: string) {
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
) {
  return subscriptionsOf(em, personId)
    .where('subscription.purchaseId', '=', anyOf(purchaseIds))
    .execute();
}

/** How many subscriptions wait for a charge that failed; of these products, or of all for null. */
export async function countFailedRenewals(em: EntityManager, productIds: readonly string[] | null) {
  return kysely(em)
    .selectFrom('subscription')
    .select(({ fn }) => ['productId', fn.countAll<number>().as('count')])
    .$if(productIds !== null, (rows) => rows.where('productId', '=', anyOf(productIds!)))
    .where('status', '=', 'past_due')
    .groupBy('productId')
    .execute();
}

export type SubscriptionFencingToken = Awaited<ReturnType<typeof takeSubscriptionFencingToken>>;

/** Takes the next sequence number, before the processor is asked how the subscription stands. */
export async function takeSubscriptionFencingToken(em: EntityManager, subscriptionId: string) {
  const fence = await kysely(em)
    .updateTable('subscription')
    .set(({ eb }) => ({ sequence: eb('subscription.sequence', '+', 1) }))
    .where('subscription.id', '=', subscriptionId)
    .returning(['subscription.sequence', 'subscription.id as subscriptionId'])
    .returning(['subscription.purchaseId', 'subscription.productId', 'subscription.personId'])
    .returning(['subscription.status', 'subscription.processorId'])
    .returning(['subscription.requestedChange', 'subscription.changeNumber'])
    .returning('subscription.isClosing')
    .returning(({ fn }) => [
      // Of the current owner; null when it cannot charge.
      payoutAccount().as('payoutAccount'),
      // The reading that follows covers the events before this number was taken.
      fn<string[]>('array', [renewalEvents()]).as('eventIds'),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no subscription ${subscriptionId}`);
  return fence;
}

const { selectFrom } = expressionBuilder<Tables, 'subscription'>();

const payoutAccount = () =>
  selectFrom('product')
    .innerJoin('payoutAccount', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('payoutAccount.personId', '=', ref('product.ownerPersonId')),
          eb('payoutAccount.teamId', '=', ref('product.ownerTeamId')),
        ]),
      ),
    )
    .select('payoutAccount.processorAccount')
    .whereRef('product.id', '=', 'subscription.productId')
    .where('payoutAccount.replacedAt', 'is', null)
    .where('payoutAccount.canCharge', '=', true);

const renewalEvents = () =>
  unhandledEventsOf('subscription')
    .select('processorEvent.id')
    .where('processorEvent.type', '=', anyOf(SUBSCRIPTION_EVENTS));
