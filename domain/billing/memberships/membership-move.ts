// Where a membership goes, until when it gives access, and what its opened products are told of it.
import type { Cause } from '../../entitlements/entitlement-event.ts';
import { decideFollowing, stateOf, type Renewed, type Settled } from '../subscriptions/renewed.ts';
import type { SubscriptionReading } from '../subscriptions/subscription-reading.ts';
import type { SubscriptionState } from '../subscriptions/subscription-state.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';

type Served = {
  status: SubscriptionStatus;
  endedAt: Date | null;
  /** Until when it gives access, unless it is withdrawn: its money is back. */
  endsAt: Date | null;
  withdrawnAt: Date | null;
};

/** Of the current period's charge, where anything was said of it; gone once all of it is back. */
export type CurrentMoney = 'gone' | 'kept' | null;

type Facts = {
  before: Renewed & Served;
  settled: Settled & { membership: Renewed };
  reading: SubscriptionReading;
  money: CurrentMoney;
  at: Date;
};

export type MembershipMove = {
  state: SubscriptionState;
  endsAt: Date | null;
  withdrawnAt: Date | null;
  /** Null where there is nothing to tell. */
  cause: Cause | null;
};

/** Money has ended it and is here again: until when what that paid for is served, and told of. */
export function restOf({ status, endedAt, endsAt, withdrawnAt }: Served): Date | null {
  if (status !== 'ended' || withdrawnAt !== null || endedAt === null || endsAt === null)
    return null;
  return endsAt > endedAt ? endsAt : null;
}

/** Reads only the row, what the processor says, what was paid for, and the clock. */
export function decideMembershipMove(facts: Facts): MembershipMove {
  const { before, settled, money, at } = facts;
  const { membership } = settled;
  const rest = restOf(before);
  const isServed = membership.status !== 'ended' || (rest !== null && rest > at);
  if (money === 'gone' && isServed) return withdraw(facts);
  if (before.status === 'ended') return followEnded(facts, rest);
  const followed = decideFollowing(membership, facts);
  if (followed === null) return stay(before, stateOf(membership));
  const { state, cause } = followed;
  // Grace begins in silence.
  const isSilent = cause === 'elapsed' && state.status !== 'ended';
  const endsAt = endOf(state, before);
  return { state, endsAt, withdrawnAt: null, cause: isSilent ? null : cause };
}

function stay({ endsAt, withdrawnAt }: Served, state: SubscriptionState): MembershipMove {
  return { state, endsAt, withdrawnAt, cause: null };
}

/** Should the money come back after all, what was paid for holds until its end, and no longer. */
function withdraw({ before, settled, at }: Facts): MembershipMove {
  const { membership, paid } = settled;
  const paidUntil = paid !== null && paid.periodEnd > at ? paid.periodEnd : at;
  return {
    state: { ...stateOf(membership), status: 'ended', endedAt: at },
    endsAt: earlier(before.endsAt, paidUntil),
    withdrawnAt: at,
    cause: 'refunded',
  };
}

/** Nothing is renewed any more, but what is paid for is served; an older end is never told of again. */
function followEnded({ before, money, at }: Facts, rest: Date | null): MembershipMove {
  const stays = stay(before, stateOf(before));
  const { endsAt, withdrawnAt } = before;
  const isAhead = endsAt !== null && endsAt > at;
  if (withdrawnAt !== null && money === 'kept' && isAhead) {
    return { ...stays, withdrawnAt: null, cause: 'granted' };
  }
  if (rest === null || isAhead) return stays;
  return { ...stays, state: { ...stays.state, endedAt: rest }, cause: 'elapsed' };
}

/** What has ended before ends no later for it. */
function endOf({ endedAt, cancelAt, graceEndsAt }: SubscriptionState, before: Served): Date | null {
  return endedAt === null ? (cancelAt ?? graceEndsAt) : earlier(before.endsAt, endedAt);
}

function earlier(known: Date | null, at: Date): Date {
  return known !== null && known < at ? known : at;
}
