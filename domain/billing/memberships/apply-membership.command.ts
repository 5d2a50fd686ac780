import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { Membership } from '../../entitlements/memberships/membership.entity.ts';
import { recordMembershipChange } from '../../entitlements/memberships/membership.repository.ts';
import { membershipWorkflow } from '../../outbox/workflow-targets.ts';
import { inTransaction, now, type EntityManager } from '../../../platform/database/database.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/covered-events.repository.ts';
import { describeRow } from '../recurring/subscription-update.repository.ts';
import type { SubscriptionReading } from '../recurring/processor-snapshot.ts';
import { HOUR_MS } from '../../shared/instant.ts';
import type { MembershipFencingToken } from './membership-view.repository.ts';
import {
  applyReturns,
  bookMembershipCharges,
  type MembershipCharges,
  type Returns,
} from './membership-money.repository.ts';
import { decideMembershipMove, restOf, type CurrentMoney } from './membership-move.ts';
import {
  abandonMembership,
  isRunning,
  keepAsking,
  lockMembership,
  type PaidMembership,
} from './membership-billing.repository.ts';

/** A reading of a membership, with the sequence number that was taken before it. */
export type MembershipReading = {
  fence: MembershipFencingToken;
  reading: SubscriptionReading;
  returns: Returns;
  processor: string;
};

/** Applies a reading in one transaction: charges, status, changes for products, mails, inbox. */
export async function applyMembership(em: EntityManager, applied: MembershipReading) {
  return inTransaction(em, async (em) => {
    const { fence, reading, returns, processor } = applied;
    const covered = { processor, eventIds: fence.eventIds };
    await lockInbox(em, covered);
    const before = await lockMembership(em, fence.membershipId);
    // A newer reading was applied while this one was under way: the older fact never wins.
    if (before.appliedSequence >= fence.sequence) return;
    const booked = await bookMembershipCharges(em, before, reading.charges);
    const at = await now(em);
    const reported = { membershipId: before.id, sequence: fence.sequence, returns, at };
    const periodStart = booked.paid?.periodStart ?? null;
    const money = await applyReturns(em, { periodStart }, reported);
    await moveOn(em, { ...applied, before, booked, money, at });
    await markHandled(em, covered);
    await withdrawAlerts(em, { kinds: ['processor_state'], subject: before.id });
  });
}

/** Nobody has paid yet: ends a membership whose checkout is over, and asks again about an open one. */
export async function settleUnpaid(
  em: EntityManager,
  {
    isOver,
    processor,
    ...fence
  }: Pick<MembershipFencingToken, 'membershipId' | 'sequence' | 'eventIds'> & {
    isOver: boolean;
    processor: string;
  },
): Promise<void> {
  return inTransaction(em, async (em) => {
    const covered = { processor, eventIds: fence.eventIds };
    await lockInbox(em, covered);
    await (isOver ? abandonMembership(em, fence) : keepAsking(em, fence.membershipId));
    await markHandled(em, covered);
  });
}

type Move = MembershipReading & {
  before: PaidMembership;
  booked: MembershipCharges;
  money: CurrentMoney;
  at: Date;
};

async function moveOn(em: EntityManager, move: Move): Promise<void> {
  const { before, booked, reading } = move;
  const { id, personId } = before;
  const { state, endsAt, withdrawnAt, reason } = decideMembershipMove(move);
  const columns = await describeRow(em, { ...move, renewed: booked.membership, state });
  const processorId = before.processorId ?? reading.processorId;
  const rest = restOf({ ...state, endsAt, withdrawnAt });
  const askAgainAt = askedBy(columns.askAgainAt, rest);
  const moved = { ...columns, processorId, endsAt, withdrawnAt, askAgainAt };
  await em.nativeUpdate(Membership, { id }, moved);
  const isNews = state.status === 'ended' || endsAt?.getTime() !== before.endsAt?.getTime();
  if (reason && isNews && before.status !== 'incomplete') {
    await recordMembershipChange(em, { membershipId: id, reason });
  }
  const isNewlyClosing = columns.isClosing && !before.isClosing;
  if (isNewlyClosing || booked.hasRefunds) {
    await sendToWorkflow(em, membershipWorkflow(id), { kind: isNewlyClosing ? 'close' : 'refund' });
  }
  // What is here again gives nothing more while another one runs.
  if (reason === 'granted' && (await isRunning(em, personId))) {
    await raiseAlert(em, { kind: 'member_unserved', subject: id });
  }
}

/** Reconciliation records the end of what is still served even when the workflow is lost. */
function askedBy(planned: Date | null, rest: Date | null): Date | null {
  if (rest === null) return planned;
  const late = new Date(rest.getTime() + HOUR_MS);
  return planned !== null && planned < late ? planned : late;
}
