import { expressionBuilder } from 'kysely';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import {
  DISPUTE_EVENTS,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
} from '../processor-inbox/event-type.ts';
import {
  sessionInEventsOf,
  unhandledEventsOf,
} from '../processor-inbox/covered-events.repository.ts';
import type { PurchaseStatus } from './purchase-status.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';

/** Locks come after the subscription and the access of the person, and before the payments. */
export async function lockPurchase(em: EntityManager, id: string): Promise<PurchaseRow> {
  return em.findOneOrFail(Purchase, { id }, LOCK);
}

/** Belongs under the purchase's lock; null for a reading that leaves the status. */
export async function movePurchase(
  em: EntityManager,
  id: string,
  { next, sequence, at }: { next: PurchaseStatus | null; sequence: number; at: Date },
): Promise<void> {
  const moved = next && { status: next, ...(next === 'cleared' ? { clearedAt: at } : {}) };
  await em.nativeUpdate(Purchase, { id }, { appliedSequence: sequence, ...moved });
}

export async function readStatus(em: EntityManager, purchaseId: string): Promise<PurchaseStatus> {
  const found = await em.findOneOrFail(Purchase, purchaseId, { disableIdentityMap: true });
  return found.status;
}

/** Cancels a purchase without a session whose time is over; false when it is not such a one. */
export async function cancelUnopened(em: EntityManager, purchaseId: string): Promise<boolean> {
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

type Key = { personId: string; productId: string };

const purchasesOf = (em: EntityManager, { personId, productId }: Key) =>
  kysely(em)
    .selectFrom('purchase')
    .select('purchase.id')
    .where('purchase.personId', '=', personId)
    .where('purchase.productId', '=', productId)
    .limit(1);

/** The statement's `purchase` gives its product for good, or its subscription runs. */
function isRunning() {
  const { and, eb, exists, not, selectFrom } = expressionBuilder<Tables, 'purchase'>();
  const ended = selectFrom('subscription')
    .select('subscription.id')
    .whereRef('subscription.purchaseId', '=', 'purchase.id')
    .where('subscription.status', '=', 'ended');
  return and([eb('purchase.status', '=', 'cleared'), not(exists(ended))]);
}

/** Bought, about to be bought, or subscribed to: nobody is asked to pay twice. */
export async function isOwned(em: EntityManager, key: Key): Promise<boolean> {
  const found = await purchasesOf(em, key)
    .where(({ eb, or }) => or([eb('purchase.status', '=', 'clearing'), isRunning()]))
    .executeTakeFirst();
  return found !== undefined;
}

/** Call it under the lock of the person's access: another purchase cleared for the product. */
export async function isOwnedByAnother(
  em: EntityManager,
  { purchaseId, ...key }: Key & { purchaseId: string },
): Promise<boolean> {
  const found = await purchasesOf(em, key)
    .where('purchase.id', '<>', purchaseId)
    .where(isRunning())
    .executeTakeFirst();
  return found !== undefined;
}

export type FencingToken = Awaited<ReturnType<typeof takeFencingToken>>;

/** Takes the next sequence number, before the processor is asked how its checkout stands. */
export async function takeFencingToken(em: EntityManager, purchaseId: string) {
  const taken = await kysely(em)
    .updateTable('purchase')
    .from('checkout')
    .set(({ eb }) => ({ sequence: eb('purchase.sequence', '+', 1) }))
    .where('purchase.id', '=', purchaseId)
    .whereRef('checkout.id', '=', 'purchase.checkoutId')
    .returning(['purchase.sequence', 'purchase.status', 'purchase.checkoutId'])
    .returning(['purchase.productId', 'purchase.personId', 'checkout.expiresAt'])
    .returning(({ and, eb, fn }) => [
      fn.coalesce('checkout.sessionId', sessionInEventsOf('purchase')).as('sessionId'),
      // Another checkout replaced it, or the account or the product is gone: it must not be paid.
      and([
        eb('purchase.status', '=', 'pending'),
        eb('checkout.status', 'in', ['abandoned', 'replaced']),
      ])
        .$castTo<boolean>()
        .as('isSessionUnwanted'),
      NOW.as('now'),
      // The reading that follows covers the events before this number was taken.
      fn<string[]>('array', [eventsOfCheckout()]).as('eventIds'),
      fn<string[]>('array', [eventsOfDisputes()]).as('disputeEventIds'),
      hasOpenDispute().as('hasOpenDispute'),
    ])
    .executeTakeFirst();
  if (!taken) throw new Error(`there is no purchase ${purchaseId}`);
  const { expiresAt, now, ...fence } = taken;
  // The processor's session ends by itself then.
  return { ...fence, remainingMs: Math.max(0, expiresAt.getTime() - now.getTime()) };
}

const unhandledEvents = () => unhandledEventsOf('purchase').select('processorEvent.id');

const eventsOfDisputes = () =>
  unhandledEvents().where('processorEvent.type', '=', anyOf(DISPUTE_EVENTS));

// Returns and renewals have readings of their own: a checkout's reading does not cover them.
const eventsOfCheckout = () =>
  unhandledEvents().where(({ eb, not }) =>
    not(eb('processorEvent.type', '=', anyOf([...RETURN_EVENTS, ...SUBSCRIPTION_EVENTS]))),
  );

/** The bank of the statement's `purchase` has yet to decide. */
export function hasOpenDispute() {
  const { exists, selectFrom } = expressionBuilder<Tables, 'purchase'>();
  const open = selectFrom('dispute')
    .innerJoin('payment', 'payment.id', 'dispute.paymentId')
    .select('dispute.id')
    .whereRef('payment.purchaseId', '=', 'purchase.id')
    .where('dispute.status', 'in', ['warning', 'open']);
  return exists(open).$castTo<boolean>();
}
