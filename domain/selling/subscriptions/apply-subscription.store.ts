import { withdrawAlerts } from '../../alerts/alert.store.ts';
import { changeAccess, lockEntitlement } from '../../entitlements/entitlement.store.ts';
import { purchaseActor, subscriptionActor } from '../../platform/outbox/actors.ts';
import { now, type EntityManager } from '../../platform/database.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import { lockInbox, markHandled } from '../inbox/handled-event.store.ts';
import { accessOf, endAccess, moveAccessEnd } from './subscription-access.store.ts';
import { settleCharges, type Settled } from './subscription-charges.store.ts';
import { decideAskAgainMs, decideDue } from './subscription-due.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';
import { lockSubscription } from './subscription.store.ts';
import { tellSubscriber } from './subscription-mails.store.ts';
import type { SubscriptionReading } from './subscription-reading.ts';
import { decideStanding, RUNNING, type Standing } from './subscription-standing.ts';
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
  const { subscription, settled, ticket, reading } = move;
  const { id, wishNumber } = subscription;
  const standing = await follow(em, move);
  const isClosing = standing.status === 'ended' && reading.status !== 'ended';
  const planned = await plan(em, { ...move, standing, isClosing });
  const { isCutShort: _, ...moved } = standing;
  const isWishDone = wishNumber === ticket.wishNumber || standing.status === 'ended';
  await em.nativeUpdate(
    Subscription,
    { id },
    {
      ...moved,
      ...planned,
      periodStart: settled.paid?.periodStart ?? null,
      periodEnd: settled.paid?.periodEnd ?? null,
      isClosing,
      appliedTicket: ticket.ticket,
      ...(isWishDone ? { wish: null } : {}),
    },
  );
  if (isClosing && !subscription.isClosing) {
    await sendToActor(em, subscriptionActor(id), { kind: 'close' });
  }
}

/** Mails what is due by now, and decides when reconciliation asks, should nobody have before. */
async function plan(em: EntityManager, moved: Move & { standing: Standing; isClosing: boolean }) {
  const { subscription, settled, standing, isClosing, at } = moved;
  const { personId, billingInterval, failureToldAt, remindedOf } = subscription;
  const periodEnd = settled.paid?.periodEnd ?? null;
  const awaiting = { ...standing, billingInterval, periodEnd, failureToldAt, remindedOf };
  const mailed = await tellSubscriber(em, personId, { subscription: awaiting, at });
  const due = decideDue({ ...awaiting, ...mailed });
  const wasOver = subscription.status === 'ended' && !subscription.isClosing;
  const askMs = decideAskAgainMs({ due, isClosing, wasOver, status: standing.status }, at);
  return { ...mailed, askAgainAt: askMs === null ? null : new Date(at.getTime() + askMs) };
}

/** Moves status and access to where the processor has them; answers how it stands from now on. */
async function follow(em: EntityManager, move: Move): Promise<Standing> {
  const { subscription, settled, reading, at } = move;
  const before = standingOf(subscription);
  if (before.status === 'ended') {
    await keepPaidPeriod(em, move);
    return before;
  }
  const known = { ...before, periodEnd: settled.paid?.periodEnd ?? null };
  const target: Standing = settled.isBroken
    ? { ...before, status: 'ended', endedAt: at }
    : decideStanding(reading, known, at);
  const standing = decideReached(before, target);
  if (standing !== before) await moveAccess(em, { subscription, before, standing });
  return standing;
}

/** Only its first payment begins it, and what has begun is never incomplete again. */
function decideReached(before: Standing, target: Standing): Standing {
  if (before.status === 'incomplete' && target.status !== 'ended') return before;
  if (target.status === 'incomplete') return before;
  const status = decideMove(before.status, target.status) ?? before.status;
  return status === target.status ? target : { ...RUNNING, status };
}

async function moveAccess(
  em: EntityManager,
  moved: { subscription: SubscriptionRow; before: Standing; standing: Standing },
): Promise<void> {
  const { subscription, before, standing } = moved;
  const { status, isCutShort, cancelAt, graceEndsAt, endedAt } = standing;
  const unmoved = status === 'canceling' ? 'cancelled' : 'elapsed';
  const isMoved = status !== before.status;
  const cause = isMoved ? decideCause(before.status, { to: status, isCutShort }) : unmoved;
  await changeAccess(em, accessOf(subscription), {
    cause,
    async write() {
      if (endedAt) await endAccess(em, subscription, endedAt);
      else await moveAccessEnd(em, subscription, cancelAt ?? graceEndsAt);
      return { purchaseId: subscription.purchaseId };
    },
  });
}

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
