import { withdrawAlerts } from '../../alerts/alert.store.ts';
import { changeAccess, lockEntitlement } from '../../entitlements/entitlement.store.ts';
import { purchaseActor, subscriptionActor } from '../../platform/outbox/actors.ts';
import { now, type EntityManager } from '../../platform/database.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import { lockInbox, markHandled } from '../inbox/inbox.store.ts';
import { accessOf, endAccess, moveAccessEnd } from './subscription-access.store.ts';
import { settleCharges, type Settled } from './subscription-charges.store.ts';
import { decideAskAgainMs, decideDue } from './subscription-due.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';
import { lockSubscription } from './subscription-lock.store.ts';
import { tellSubscriber } from './subscription-mails.store.ts';
import type { SubscriptionReading } from './subscription-reading.ts';
import { decideStanding, type Standing } from './subscription-standing.ts';
import { decideCause, decideMove } from './subscription-status.ts';
import type { SubscriptionTicket } from './subscription-ticket.store.ts';

export type Settlement = {
  ticket: SubscriptionTicket;
  reading: SubscriptionReading;
  feeBasisPoints: number;
  processor: string;
};

/** Applies a reading of the processor in one transaction: charges, status, access, events, mails, inbox. */
export async function applySubscription(em: EntityManager, settlement: Settlement): Promise<void> {
  const { ticket, reading, processor, feeBasisPoints } = settlement;
  const covered = { processor, eventIds: ticket.eventIds };
  await lockInbox(em, covered);
  const subscription = await lockSubscription(em, ticket.subscriptionId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (subscription.appliedTicket >= ticket.ticket) return;
  await lockEntitlement(em, accessOf(subscription));
  const { charges } = reading;
  const isBegun = subscription.status !== 'incomplete';
  const settled = isBegun
    ? await settleCharges(em, { subscription, charges, feeBasisPoints })
    : { paid: null, isBroken: false };
  await moveOn(em, { ...settlement, subscription, settled, at: await now(em) });
  await markHandled(em, covered);
  const { purchaseId } = subscription;
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: purchaseId });
  // Whether the first payment is as agreed is for its purchase to say.
  const isPaid = reading.status === 'active' || reading.status === 'past_due';
  if (!isBegun && isPaid) await sendToActor(em, purchaseActor(purchaseId), { kind: 'subscribed' });
}

type Move = Settlement & { subscription: SubscriptionRow; settled: Settled; at: Date };

async function moveOn(em: EntityManager, move: Move): Promise<void> {
  const { subscription, settled, ticket, reading, at } = move;
  const { id, personId, billingInterval, wishNumber } = subscription;
  const periodStart = settled.paid?.periodStart ?? null;
  const periodEnd = settled.paid?.periodEnd ?? null;
  const standing = await follow(em, move);
  const isClosing = standing.status === 'ended' && reading.status !== 'ended';
  const told = { failureToldAt: subscription.failureToldAt, remindedOf: subscription.remindedOf };
  const awaiting = { ...standing, billingInterval, periodEnd, ...told };
  const mailed = await tellSubscriber(em, personId, { subscription: awaiting, at });
  const due = decideDue({ ...awaiting, ...mailed });
  const wasOver = subscription.status === 'ended' && !subscription.isClosing;
  const askMs = decideAskAgainMs({ due, isClosing, wasOver, status: standing.status }, at);
  const { isCutShort: _, ...moved } = standing;
  const isWishDone = wishNumber === ticket.wishNumber || standing.status === 'ended';
  await em.nativeUpdate(
    Subscription,
    { id },
    {
      ...moved,
      ...mailed,
      periodStart,
      periodEnd,
      isClosing,
      appliedTicket: ticket.ticket,
      askAgainAt: askMs === null ? null : new Date(at.getTime() + askMs),
      ...(isWishDone ? { wish: null } : {}),
    },
  );
  if (isClosing && !subscription.isClosing) {
    await sendToActor(em, subscriptionActor(id), { kind: 'close' });
  }
}

/** Moves status and access to where the processor has them; answers how it stands from now on. */
async function follow(em: EntityManager, move: Move): Promise<Standing> {
  const { subscription, settled, at } = move;
  const before = standingOf(subscription);
  if (before.status === 'ended') {
    await keepPaidPeriod(em, move);
    return before;
  }
  const known = { ...before, periodEnd: settled.paid?.periodEnd ?? null };
  const target: Standing = settled.isBroken
    ? { ...before, status: 'ended', endedAt: at }
    : decideStanding(move.reading, known, at);
  // Only its first payment begins it, and what has begun is never incomplete again.
  const isEnding = target.status === 'ended';
  if (before.status === 'incomplete' && !isEnding) return before;
  if (target.status === 'incomplete') return before;
  const next = decideMove(before.status, target.status);
  const status = next ?? before.status;
  const standing = status === target.status ? target : { ...RUNNING, status };
  const to = { to: status, isCutShort: standing.isCutShort };
  const unmoved = status === 'canceling' ? 'cancelled' : 'elapsed';
  const cause = next === null ? unmoved : decideCause(before.status, to);
  await changeAccess(em, accessOf(subscription), {
    cause,
    async write() {
      if (standing.endedAt) await endAccess(em, subscription, standing.endedAt);
      else await moveAccessEnd(em, subscription, standing.cancelAt ?? standing.graceEndsAt);
      return { purchaseId: subscription.purchaseId };
    },
  });
  return standing;
}

const RUNNING = {
  pastDueAt: null,
  graceEndsAt: null,
  cancelAt: null,
  endedAt: null,
  isCutShort: false,
};

function standingOf(subscription: SubscriptionRow): Standing {
  const { status, pastDueAt, graceEndsAt, cancelAt, endedAt } = subscription;
  return { status, pastDueAt, graceEndsAt, cancelAt, endedAt, isCutShort: false };
}

/** Refunded before its first period was known: should the refund fail, access lasts no longer. */
async function keepPaidPeriod(em: EntityManager, { subscription, settled }: Move): Promise<void> {
  const { paid } = settled;
  if (subscription.periodEnd || !paid) return;
  await changeAccess(em, accessOf(subscription), {
    cause: 'elapsed',
    async write() {
      await endAccess(em, subscription, paid.periodEnd);
      return {};
    },
  });
}
