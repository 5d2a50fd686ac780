import { withdrawAlerts } from '../../alerts/alert.store.ts';
import { Membership } from '../../entitlements/membership.entity.ts';
import { recordMembershipChange } from '../../entitlements/membership.store.ts';
import type { Cause } from '../../entitlements/announcement.ts';
import { membershipActor } from '../../platform/outbox/actors.ts';
import { now, type EntityManager } from '../../platform/database.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import { lockInbox, markHandled } from '../inbox/handled-event.store.ts';
import { describeRow } from '../renewals/renewed-row.store.ts';
import { decideFollowing, standingOf } from '../renewals/renewed.ts';
import type { SubscriptionReading } from '../renewals/subscription-reading.ts';
import type { Standing } from '../renewals/subscription-standing.ts';
import { settleMembershipCharges, type MembershipSettled } from './membership-charges.store.ts';
import { lockMembership, type PaidMembership } from './membership-lock.store.ts';
import { applyReturns, type Returns } from './membership-returns.store.ts';
import type { MembershipTicket } from './membership-ticket.store.ts';

export type MembershipSettlement = {
  ticket: MembershipTicket;
  reading: SubscriptionReading;
  returns: Returns;
  processor: string;
};

/** Applies a reading of the processor in one transaction: charges, status, news for products, mails, inbox. */
export async function applyMembership(
  em: EntityManager,
  settlement: MembershipSettlement,
): Promise<void> {
  const { ticket, reading, returns, processor } = settlement;
  const covered = { processor, eventIds: ticket.eventIds };
  await lockInbox(em, covered);
  const before = await lockMembership(em, ticket.membershipId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (before.appliedTicket >= ticket.ticket) return;
  const settled = await settleMembershipCharges(em, before, reading.charges);
  const at = await now(em);
  const told = { membershipId: before.id, ticket: ticket.ticket, returns, at };
  const isReturned = await applyReturns(
    em,
    { periodStart: settled.paid?.periodStart ?? null },
    told,
  );
  await moveOn(em, { ...settlement, before, settled, isReturned, at });
  await markHandled(em, covered);
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: before.id });
}

type Move = MembershipSettlement & {
  before: PaidMembership;
  settled: MembershipSettled;
  isReturned: boolean;
  at: Date;
};

async function moveOn(em: EntityManager, move: Move): Promise<void> {
  const { before, settled, reading } = move;
  const { id } = before;
  const { standing, cause } = decideMove(move);
  const columns = await describeRow(em, { ...move, renewed: settled.membership, standing });
  const endsAt = endOf(standing, before);
  const processorId = before.processorId ?? reading.processorId;
  await em.nativeUpdate(Membership, { id }, { ...columns, processorId, endsAt });
  const isNews = standing.status === 'ended' || endsAt?.getTime() !== before.endsAt?.getTime();
  if (cause && isNews && before.status !== 'incomplete') {
    await recordMembershipChange(em, { membershipId: id, cause });
  }
  const isNewlyClosing = columns.isClosing && !before.isClosing;
  if (isNewlyClosing || settled.hasRefunds) {
    await sendToActor(em, membershipActor(id), { kind: isNewlyClosing ? 'close' : 'refund' });
  }
}

type News = Exclude<Cause, 'granted'>;

/** Where it goes, and what its products are told; an older end is never told of again. */
function decideMove(move: Move): { standing: Standing; cause: News | null } {
  const { settled, isReturned, at } = move;
  const { membership } = settled;
  if (isReturned && membership.status !== 'ended') {
    const standing = { ...standingOf(membership), status: 'ended' as const, endedAt: at };
    return { standing, cause: 'refunded' };
  }
  const followed = decideFollowing(membership, move);
  if (followed === null) return { standing: standingOf(membership), cause: null };
  const { standing, cause } = followed;
  // Grace begins in silence.
  const isSilent = cause === 'granted' || (cause === 'elapsed' && standing.status !== 'ended');
  return { standing, cause: isSilent ? null : cause };
}

/** What has ended before ends no later for it. */
function endOf(standing: Standing, { endsAt: before }: PaidMembership): Date | null {
  const { endedAt, cancelAt, graceEndsAt } = standing;
  if (endedAt === null) return cancelAt ?? graceEndsAt;
  return before !== null && before < endedAt ? before : endedAt;
}
