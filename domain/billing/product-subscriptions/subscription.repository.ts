// A product's subscription. `../recurring` holds the part that it shares with Member.
import type { PriceView } from '../../catalog/product.repository.ts';
import { subscriptionWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow, sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { LOCK, now, type EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { BILLING_INTERVALS } from '../recurring/billing-interval.ts';
import { decideDue, waitForDueMs } from '../recurring/next-check.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';

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
export async function lockSubscriptionOf(em: EntityManager, purchaseId: string) {
  return em.findOne(Subscription, { purchaseId }, LOCK);
}

export async function lockSubscription(em: EntityManager, id: string): Promise<SubscriptionRow> {
  return em.findOneOrFail(Subscription, { id }, LOCK);
}

/** What the workflow and operators need to know. */
export async function readSubscriptionProgress(em: EntityManager, id: string) {
  const found = await em.findOneOrFail(Subscription, { id }, { disableIdentityMap: true });
  const { status, isClosing, productId, personId } = found;
  const due = decideDue(found);
  const waitMs = Math.ceil(waitForDueMs(due, await now(em)));
  // Something is ahead, or the processor has yet to confirm the end.
  const isRunning = status !== 'ended' && status !== 'incomplete';
  const waitsFor = isClosing ? 'the end at the processor' : (due?.what ?? 'its first period');
  return { status, isOpen: isRunning || isClosing, waitMs, waitsFor, productId, personId };
}

type FirstPayment = {
  /** Locked. */
  subscription: SubscriptionRow;
  /** The new status of the purchase, or null. */
  next: PurchaseStatus | null;
  /** The processor's id of the subscription, once it exists. */
  processorId: string | null;
};

/** Moves a subscription with its first payment, in the same transaction. */
export async function applyFirstPayment(
  em: EntityManager,
  { subscription, next, processorId }: FirstPayment,
): Promise<void> {
  const { id } = subscription;
  if (processorId !== null) {
    await em.nativeUpdate(Subscription, { id, processorId: null }, { processorId });
  }
  if (next === 'cleared') return start(em, id);
  // Nothing was paid, or the money is refunded: the processor must not continue.
  if (next === 'failed' || next === 'canceled' || next === 'quarantined') {
    await closeSubscription(em, id);
  }
}

async function start(em: EntityManager, id: string): Promise<void> {
  await kysely(em)
    .updateTable('subscription')
    .set({ status: 'active', beganAt: NOW, askAgainAt: fromNow('1 hour') })
    .where('id', '=', id)
    .where('status', '=', 'incomplete')
    .execute();
  await sendToWorkflow(em, subscriptionWorkflow(id), { kind: 'started' });
}

/**
 * The ways in which Gatehouse ends a subscription. It ends here at once, its workflow ends it at
 * the processor for as long as that takes, and later charges are refunded.
 */
export async function closeSubscription(em: EntityManager, id: string): Promise<void> {
  await close(em, closing(em).where('id', '=', id));
}

/** Ends the subscriptions of a deleted account; a checkout of this moment never begins one. */
export async function closeSubscriptionsOf(em: EntityManager, personId: string): Promise<void> {
  const running = kysely(em)
    .selectFrom('subscription')
    .select('id')
    .where('personId', '=', personId)
    .where('status', '<>', 'ended')
    .orderBy('id')
    .forUpdate();
  await close(em, closing(em).where('id', 'in', running));
}

const BATCH = 100;

/** Ends one batch of subscriptions to removed products and returns their number. */
export async function closeSubscriptionsOfRemoved(em: EntityManager): Promise<number> {
  const ofRemoved = kysely(em)
    .selectFrom('product')
    .innerJoin('subscription', 'subscription.productId', 'product.id')
    .select('subscription.id')
    .where('product.state', '=', 'removed')
    .where('subscription.status', '<>', 'ended')
    .orderBy('subscription.id')
    .limit(BATCH)
    .forUpdate('subscription');
  return close(em, closing(em).where('id', 'in', ofRemoved));
}

/** A subscription that the processor never had needs no end there. */
const closing = (em: EntityManager) =>
  kysely(em)
    .updateTable('subscription')
    .set(({ eb, fn }) => ({
      status: 'ended',
      endedAt: fn.coalesce('endedAt', NOW),
      requestedChange: null,
      isClosing: eb('processorId', 'is not', null).$castTo<boolean>(),
      askAgainAt: fromNow('1 hour'),
    }));

async function close(em: EntityManager, change: ReturnType<typeof closing>): Promise<number> {
  const closed = await change.returning('id').execute();
  const targets = closed.map(({ id }) => subscriptionWorkflow(id));
  await sendToWorkflows(em, targets, { kind: 'close' });
  return closed.length;
}

/** A renewal needs a payout account. */
export async function hasWhereToPay(
  em: EntityManager,
  { productId, toTeamId }: { productId: string; toTeamId: string },
): Promise<boolean> {
  const unpaid = await kysely(em)
    .selectFrom('subscription')
    .select('id')
    .where('productId', '=', productId)
    .where('status', '<>', 'ended')
    .where('beganAt', 'is not', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('payoutAccount')
            .select('payoutAccount.id')
            .where('teamId', '=', toTeamId)
            .where('replacedAt', 'is', null)
            .where('canCharge', '=', true),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return unpaid === undefined;
}

/**
 * A transferred product takes the payouts of its running subscriptions along. Belongs in the
 * transaction of the transfer. A subscription that begins meanwhile holds the product's row: it is
 * seen here, or sees the new owner.
 */
export async function notifyOfNewSeller(em: EntityManager, productId: string): Promise<void> {
  const running = await kysely(em)
    .selectFrom('subscription')
    .select('id')
    .where('productId', '=', productId)
    .where('status', '<>', 'ended')
    .orderBy('id')
    .execute();
  const targets = running.map(({ id }) => subscriptionWorkflow(id));
  await sendToWorkflows(em, targets, { kind: 'new_seller' });
}

/**
 * A payout account that begins to charge takes the payouts of its seller's running subscriptions.
 * Belongs in the transaction of that change, which holds the account. A checkout that is opened
 * meanwhile holds the product's row.
 */
export async function notifyOfReadyAccount(em: EntityManager, account: string): Promise<void> {
  const products = await kysely(em)
    .selectFrom('product')
    .innerJoin('payoutAccount as payout', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('payout.personId', '=', ref('product.ownerPersonId')),
          eb('payout.teamId', '=', ref('product.ownerTeamId')),
        ]),
      ),
    )
    .select('product.id')
    .where('payout.processorAccount', '=', account)
    .orderBy('product.id')
    .forNoKeyUpdate('product')
    .execute();
  for (const { id } of products) await notifyOfNewSeller(em, id);
}
