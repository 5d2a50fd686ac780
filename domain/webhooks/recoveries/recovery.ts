import { DAY_MS, HOUR_MS } from '../../shared/instant.ts';

/** The limits of a recovery: how far it looks back, and how many it queues, the oldest first. */
export const RECOVERY_DAYS = 14;
export const MOST_RECOVERED = 10_000;

/** The statuses that a recovery takes: all other deliveries are finished or under way. */
export type Recoverable = 'dead' | 'held';

export type PeriodProblem = 'required' | 'too_long_ago' | 'not_yet' | 'ends_before_it_starts';

type Period = { since: Date | null; until: Date | null; now: Date };

// A person who picks the earliest allowed moment takes a while to press the button.
const GRACE_MS = HOUR_MS;

/** Returns null when the period may be recovered. */
export function validatePeriod({ since, until, now }: Period): PeriodProblem | null {
  if (since === null) return 'required';
  if (since.getTime() >= now.getTime()) return 'not_yet';
  if (since.getTime() < now.getTime() - RECOVERY_DAYS * DAY_MS - GRACE_MS) return 'too_long_ago';
  return until !== null && until.getTime() <= since.getTime() ? 'ends_before_it_starts' : null;
}
