// When a transfer is attempted: at once, then 1 min, 5 min, 30 min, 2 h and 12 h after the attempt
// before, then daily for 30 days.
import { DAY_MS, MINUTE_MS } from '../../shared/instant.ts';

const WAITS_MS = [
  ...[1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS),
  ...Array.from({ length: 30 }, () => DAY_MS),
];

export const MOST_ATTEMPTS = WAITS_MS.length + 1;

/** The wait after so many attempts, or null after the last one. */
export function waitAfterMs(attempts: number): number | null {
  return WAITS_MS[attempts - 1] ?? null;
}

/**
 * What came of an attempt. `refused`: no later attempt can succeed. `not_made`: the processor said
 * no for now. `unknown`: it did not answer, so the transfer may have been made.
 */
export type TransferOutcome =
  | { is: 'made'; transferId: string }
  | { is: 'refused' | 'not_made' | 'unknown'; reason: string };

type PayoutStep =
  | { status: 'paid'; transferId: string }
  | { status: 'failed'; reason: string }
  | { status: 'paying'; reason: string; waitMs: number };

/**
 * What follows from an attempt. A payout is given up only when it is known that no transfer was
 * made: its lines are paid again in a later month.
 */
export function decidePayoutStep(attempts: number, outcome: TransferOutcome): PayoutStep {
  if (outcome.is === 'made') return { status: 'paid', transferId: outcome.transferId };
  const { is, reason } = outcome;
  if (is === 'refused') return { status: 'failed', reason };
  const waitMs = waitAfterMs(attempts) ?? (is === 'unknown' ? DAY_MS : null);
  return waitMs === null ? { status: 'failed', reason } : { status: 'paying', reason, waitMs };
}
