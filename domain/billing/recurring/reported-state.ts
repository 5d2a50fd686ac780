// Decides the state that a reading reports: a subscription's status and the end of its access.
import { DAY_MS } from '../../shared/instant.ts';
import type { ChargeReading, SubscriptionReading } from './processor-snapshot.ts';
import type { SubscriptionStatus } from './status-moves.ts';

/** A failed renewal is tried again on days 1, 3, 5 and 7; grace ends after the last try. */
const GRACE_DAYS = 8;

export type PriorState = Pick<SubscriptionState, 'pastDueAt' | 'graceEndsAt'> & {
  /** The end of the last paid period. */
  periodEnd: Date | null;
};

export type SubscriptionState = {
  status: SubscriptionStatus;
  pastDueAt: Date | null;
  graceEndsAt: Date | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  /** The subscription ended at the processor within a paid period. */
  isCutShort: boolean;
};

/** The end of access that is known ahead: of the cancellation, else of the grace period. */
export function plannedEnd({
  cancelAt,
  graceEndsAt,
}: Pick<SubscriptionState, 'cancelAt' | 'graceEndsAt'>): Date | null {
  return cancelAt ?? graceEndsAt;
}

export const RUNNING = {
  pastDueAt: null,
  graceEndsAt: null,
  cancelAt: null,
  endedAt: null,
  isCutShort: false,
};

/** Depends on the reading, the paid period and the clock alone. */
export function decideState(
  reading: SubscriptionReading,
  known: PriorState,
  at: Date,
): SubscriptionState {
  if (reading.status === 'incomplete') return { ...RUNNING, status: 'incomplete' };
  if (reading.status === 'ended') return endedAtProcessor(reading, known, at);
  if (reading.status === 'past_due') return decidePastDue(reading, known, at);
  if (!reading.isCancelAtPeriodEnd) return { ...RUNNING, status: 'active' };
  return { ...RUNNING, status: 'canceling', cancelAt: reading.periodEnd };
}

function endedAtProcessor(
  reading: SubscriptionReading,
  known: PriorState,
  at: Date,
): SubscriptionState {
  const endedAt = earlier(reading.endedAt ?? at, at);
  const ended = { ...RUNNING, status: 'ended' as const, endedAt };
  if (known.pastDueAt !== null || isUnpaid(reading.charges.at(-1))) {
    return { ...ended, pastDueAt: known.pastDueAt ?? endedAt, graceEndsAt: endedAt };
  }
  return { ...ended, isCutShort: known.periodEnd !== null && endedAt < known.periodEnd };
}

/** Cancelled or not, an unpaid period lasts until the end of grace. */
function decidePastDue(
  reading: SubscriptionReading,
  known: PriorState,
  at: Date,
): SubscriptionState {
  const graceEndsAt = decideGraceEnd(reading.charges.findLast(isUnpaid), known, at);
  const pastDueAt = known.pastDueAt ?? at;
  if (graceEndsAt <= at) {
    return { ...RUNNING, status: 'ended', pastDueAt, graceEndsAt, endedAt: graceEndsAt };
  }
  const failing = { ...RUNNING, pastDueAt, graceEndsAt };
  return reading.isCancelAtPeriodEnd
    ? { ...failing, status: 'canceling', cancelAt: graceEndsAt }
    : { ...failing, status: 'past_due' };
}

/** The end of the last try, at the latest day 8 after the due date. */
function decideGraceEnd(charge: ChargeReading | undefined, known: PriorState, at: Date): Date {
  const due = charge?.periodStart ?? known.periodEnd ?? known.pastDueAt ?? at;
  const latest = new Date(due.getTime() + GRACE_DAYS * DAY_MS);
  const isTriedAgain = charge?.status === 'open' && charge.nextAttemptAt !== null;
  return isTriedAgain ? latest : earlier(latest, at);
}

export function isUnpaid(charge: ChargeReading | undefined): boolean {
  return charge?.status === 'open' || charge?.status === 'void';
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}
