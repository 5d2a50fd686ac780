// Decides the next state of a subscription or a membership: what the processor reports, along the
// arrows of the statuses.
import type { Money } from '../purchases/payment-status.ts';
import type { DueFacts } from './next-check.ts';
import type { ChangeReason } from '../../entitlements/decide-entitlement-event.ts';
import type { SubscriptionReading } from './processor-snapshot.ts';
import { decideState, RUNNING, type SubscriptionState } from './reported-state.ts';
import { decideReason, decideMove } from './status-moves.ts';

export type Period = { periodStart: Date; periodEnd: Date };

/** The row of a subscription or a membership. */
export type RenewableRow = Omit<DueFacts, 'periodEnd'> &
  Money & {
    id: string;
    personId: string;
    endedAt: Date | null;
    changeNumber: number;
    isClosing: boolean;
  };

export type BookedCharges = {
  /** The last paid period. */
  paid: Period | null;
  /** Money of another amount or currency came: it is refunded, and nothing more is charged. */
  isNotAsAgreed: boolean;
};

export function stateOf(renewed: RenewableRow): SubscriptionState {
  const { status, pastDueAt, graceEndsAt, cancelAt, endedAt } = renewed;
  return { status, pastDueAt, graceEndsAt, cancelAt, endedAt, isCutShort: false };
}

type Facts = { reading: SubscriptionReading; booked: BookedCharges; at: Date };

/** The next state by a reading and its reason for the access; null when nothing changes. */
export function decideNextState(
  renewed: RenewableRow,
  { reading, booked, at }: Facts,
): { state: SubscriptionState; reason: ChangeReason } | null {
  const before = stateOf(renewed);
  if (before.status === 'ended') return null;
  const known = { ...before, periodEnd: booked.paid?.periodEnd ?? null };
  const target: SubscriptionState = booked.isNotAsAgreed
    ? { ...before, status: 'ended', endedAt: at }
    : decideState(reading, known, at);
  // The first payment alone begins a subscription, and a running one is never incomplete again.
  const isEnding = target.status === 'ended';
  if (before.status === 'incomplete' && !isEnding) return null;
  if (target.status === 'incomplete') return null;
  const next = decideMove(before.status, target.status);
  const status = next ?? before.status;
  const state = status === target.status ? target : { ...RUNNING, status };
  const to = { to: status, isCutShort: state.isCutShort };
  const unmoved = status === 'canceling' ? 'cancelled' : 'elapsed';
  return { state, reason: next === null ? unmoved : decideReason(before.status, to) };
}
