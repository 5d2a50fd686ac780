import { withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  lockAccess,
  lockEntitlement,
  storeAccess,
} from '../../entitlements/entitlement.repository.ts';
import { purchaseWorkflow, subscriptionWorkflow } from '../../outbox/workflow-targets.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/covered-events.repository.ts';
import { describeRow } from '../recurring/subscription-update.repository.ts';
import { decideNextState, stateOf, type BookedCharges } from '../recurring/next-state.ts';
import { bookSubscriptionCharges } from './subscription-money.repository.ts';
import { accessOf, endAccess, moveAccessEnd } from './subscription-access.repository.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';
import { lockSubscription } from './subscription.repository.ts';
import type { SubscriptionReading, ChargeReading } from '../recurring/processor-snapshot.ts';
import { plannedEnd, type SubscriptionState } from '../recurring/reported-state.ts';
import type { SubscriptionFencingToken } from './subscription-view.repository.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { decideFailedAttempts } from '../recurring/failed-attempts.ts';

/** A reading of a subscription, with the sequence number that was taken before it. */
export type RenewalReading = {
  fence: SubscriptionFencingToken;
  reading: SubscriptionReading;
  feeBasisPoints: number;
  processor: string;
};

/** Applies a reading in one transaction: charges, status, access, events, mails, inbox. */
export async function applySubscription(em: EntityManager, applied: RenewalReading): Promise<void> {
  const { fence, reading, processor, feeBasisPoints } = applied;
  const covered = { processor, eventIds: fence.eventIds };
  await lockInbox(em, covered);
  const subscription = await lockSubscription(em, fence.subscriptionId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (subscription.appliedSequence >= fence.sequence) return;
  await lockEntitlement(em, accessOf(subscription));
  const { charges } = reading;
  const isBegun = subscription.status !== 'incomplete';
  const booked = isBegun
    ? await bookSubscriptionCharges(em, { subscription, charges, feeBasisPoints })
    : { paid: null, isNotAsAgreed: false };
  await moveOn(em, { ...applied, subscription, booked, at: await now(em) });
  await markHandled(em, covered);
  const { purchaseId } = subscription;
  const isPaidOut = reading.status === 'ended' || reading.payoutAccount === fence.payoutAccount;
  const over = ['processor_state' as const, ...(isPaidOut ? ['payouts_unmoved' as const] : [])];
  await withdrawAlerts(em, { kinds: over, subject: purchaseId });
  // The purchase decides whether the first payment is as agreed.
  const isPaid = reading.status === 'active' || reading.status === 'past_due';
  if (!isBegun && isPaid)
    await sendToWorkflow(em, purchaseWorkflow(purchaseId), { kind: 'subscribed' });
}

type Move = RenewalReading & { subscription: SubscriptionRow; booked: BookedCharges; at: Date };

async function moveOn(em: EntityManager, move: Move): Promise<void> {
  const { subscription } = move;
  const { id } = subscription;
  const state = await moveAccess(em, move);
  const columns = await describeRow(em, { ...move, renewed: subscription, state });
  await em.nativeUpdate(Subscription, { id }, columns);
  if (columns.isClosing && !subscription.isClosing) {
    await sendToWorkflow(em, subscriptionWorkflow(id), { kind: 'close' });
  }
}

/** Moves the access to the reading's state, and returns the new state. */
async function moveAccess(em: EntityManager, move: Move): Promise<SubscriptionState> {
  const { subscription } = move;
  if (subscription.status === 'ended') await keepPaidPeriod(em, move);
  const next = decideNextState(subscription, move);
  if (next === null) return stateOf(subscription);
  const { state, reason } = next;
  const { charges } = move.reading;
  await recordFailedAttempts(em, { subscription, charges, state });
  const access = await lockAccess(em, subscription);
  if (state.endedAt) await endAccess(em, subscription, state.endedAt);
  else await moveAccessEnd(em, subscription, plannedEnd(state));
  await storeAccess(em, access, { reason, purchaseId: subscription.purchaseId });
  return state;
}

/**
 * A subscription may be refunded before its first period is known: if the refund fails, access
 * lasts until that period's end.
 */
async function keepPaidPeriod(em: EntityManager, { subscription, booked }: Move): Promise<void> {
  const { paid } = booked;
  if (subscription.periodEnd || !paid) return;
  const access = await lockAccess(em, subscription);
  await endAccess(em, subscription, paid.periodEnd);
  await storeAccess(em, access, { reason: 'elapsed' });
}

type Input = {
  /** The row before the reading, locked. */
  subscription: SubscriptionRow;
  charges: ChargeReading[];
  /** The state after the reading. */
  state: SubscriptionState;
};

/** Records an event for each failed attempt of a renewal that has none. */
async function recordFailedAttempts(em: EntityManager, { subscription, ...facts }: Input) {
  const failed = decideFailedAttempts(subscription, facts);
  if (failed === null) return;
  const { id, purchaseId, productId, personId } = subscription;
  await em.nativeUpdate(Subscription, { id }, failed.counted);
  for (let event = 1; event <= failed.newAttempts; event += 1) {
    await recordEvent(em, {
      productId,
      name: 'subscription.payment_failed',
      data: {
        purchase_id: purchaseId,
        user_id: personId,
        product_id: productId,
        amount_minor: failed.amountMinor,
        currency: failed.currency,
        next_attempt_at: failed.nextAttemptAt?.toISOString() ?? null,
        access_until: failed.accessUntil.toISOString(),
      },
    });
  }
}
