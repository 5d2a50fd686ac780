// The failed attempts to charge a renewal that a product was not notified of.
import { isUnpaid, type SubscriptionState } from './reported-state.ts';
import type { ChargeReading } from './processor-snapshot.ts';

export type AttemptCount = {
  /** The start of the last period whose charge failed. */
  failedPeriod: Date | null;
  /** How many of its attempts were recorded as events. */
  failedAttempts: number;
};

type Facts = { charges: ChargeReading[]; state: SubscriptionState };

/**
 * Returns the attempts that have no event yet, or null. The processor counts the attempts for each bill, so a message that comes
 * twice, late or never changes nothing. A bill that was paid meanwhile has not failed.
 */
export function decideFailedAttempts(
  known: AttemptCount,
  { charges, state: { graceEndsAt, endedAt } }: Facts,
) {
  const charge = charges.findLast(isUnpaid);
  if (!charge || charge.isFirst || graceEndsAt === null) return null;
  const { periodStart, attempts, amountMinor, currency, nextAttemptAt } = charge;
  const { failedPeriod, failedAttempts } = known;
  const isOlder = failedPeriod !== null && periodStart < failedPeriod;
  const isSame = periodStart.getTime() === failedPeriod?.getTime();
  const newAttempts = attempts - (isSame ? failedAttempts : 0);
  if (isOlder || newAttempts <= 0) return null;
  // Grace ends first: the subscription is cancelled at the processor before that attempt.
  const isTriedAgain = endedAt === null && nextAttemptAt !== null && nextAttemptAt < graceEndsAt;
  return {
    counted: { failedPeriod: periodStart, failedAttempts: attempts },
    // One event is due for each attempt, also for those between two readings.
    newAttempts,
    amountMinor,
    currency,
    nextAttemptAt: isTriedAgain ? nextAttemptAt : null,
    accessUntil: graceEndsAt,
  };
}
