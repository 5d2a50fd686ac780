// Where a membership goes, until when it gives access, and why its activated products are notified.
import type { ChangeReason } from '../../entitlements/decide-entitlement-event.ts';
import {
  decideNextState,
  stateOf,
  type RenewableRow,
  type BookedCharges,
} from '../recurring/next-state.ts';
import type { SubscriptionReading } from '../recurring/processor-snapshot.ts';
import { plannedEnd, type SubscriptionState } from '../recurring/reported-state.ts';
import type { SubscriptionStatus } from '../recurring/status-moves.ts';

type ServiceState = {
  status: SubscriptionStatus;
  endedAt: Date | null;
  /** The end of its access, unless the money is back (`withdrawnAt`). */
  endsAt: Date | null;
  withdrawnAt: Date | null;
};

/** The current period's money, when the reading mentions it; `gone` when all of it is back. */
export type CurrentMoney = 'gone' | 'kept' | null;

type Facts = {
  before: RenewableRow & ServiceState;
  booked: BookedCharges & { membership: RenewableRow };
  reading: SubscriptionReading;
  money: CurrentMoney;
  at: Date;
};

export type MembershipMove = {
  state: SubscriptionState;
  endsAt: Date | null;
  withdrawnAt: Date | null;
  /** Is null where products get no event. */
  reason: ChangeReason | null;
};

/** Money ended the membership and came back: the end of the period that is still served. */
export function restOf({ status, endedAt, endsAt, withdrawnAt }: ServiceState): Date | null {
  if (status !== 'ended' || withdrawnAt !== null || endedAt === null || endsAt === null)
    return null;
  return endsAt > endedAt ? endsAt : null;
}

/** Depends on the row, the reading, the paid period and the clock alone. */
export function decideMembershipMove(facts: Facts): MembershipMove {
  const { before, booked, money, at } = facts;
  const { membership } = booked;
  const rest = restOf(before);
  const isServed = membership.status !== 'ended' || (rest !== null && rest > at);
  if (money === 'gone' && isServed) return withdraw(facts);
  if (before.status === 'ended') return decideAfterEnd(facts, rest);
  const next = decideNextState(membership, facts);
  if (next === null) return stay(before, stateOf(membership));
  const { state, reason } = next;
  // Grace begins in silence.
  const isSilent = reason === 'elapsed' && state.status !== 'ended';
  const endsAt = endOf(state, before);
  return { state, endsAt, withdrawnAt: null, reason: isSilent ? null : reason };
}

function stay({ endsAt, withdrawnAt }: ServiceState, state: SubscriptionState): MembershipMove {
  return { state, endsAt, withdrawnAt, reason: null };
}

/**
 * Keeps the end of the paid period: when the money returns, access lasts until that end and no
 * longer.
 */
function withdraw({ before, booked, at }: Facts): MembershipMove {
  const { membership, paid } = booked;
  const paidUntil = paid !== null && paid.periodEnd > at ? paid.periodEnd : at;
  return {
    state: { ...stateOf(membership), status: 'ended', endedAt: at },
    endsAt: earlier(before.endsAt, paidUntil),
    withdrawnAt: at,
    reason: 'refunded',
  };
}

/** Nothing renews, but the paid period is served; an older end is not recorded again. */
function decideAfterEnd({ before, money, at }: Facts, rest: Date | null): MembershipMove {
  const stays = stay(before, stateOf(before));
  const { endsAt, withdrawnAt } = before;
  const isAhead = endsAt !== null && endsAt > at;
  if (withdrawnAt !== null && money === 'kept' && isAhead) {
    return { ...stays, withdrawnAt: null, reason: 'granted' };
  }
  if (rest === null || isAhead) return stays;
  return { ...stays, state: { ...stays.state, endedAt: rest }, reason: 'elapsed' };
}

/** An earlier end stays. */
function endOf(state: SubscriptionState, before: ServiceState): Date | null {
  const { endedAt } = state;
  return endedAt === null ? plannedEnd(state) : earlier(before.endsAt, endedAt);
}

function earlier(known: Date | null, at: Date): Date {
  return known !== null && known < at ? known : at;
}
