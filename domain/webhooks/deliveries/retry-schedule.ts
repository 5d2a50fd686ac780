// The spec's schedule: 1 min, 5 min, 30 min, 2 h, 12 h after the end of the attempt before, then
// dead.
import { MINUTE_MS } from '../../shared/instant.ts';
import { waitForAttemptMs } from '../../shared/wait-until-due.ts';

const WAITS_MS = [1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS);

/** The wait before a retry (step 1 to 5), or null after the last one. */
export function waitBeforeMs(step: number): number | null {
  return WAITS_MS[step - 1] ?? null;
}

export const LAST_STEP = WAITS_MS.length;

/** Retries of a cohort that are due within these seconds are attempted together. */
const COHORT_PAUSE_MS = 2_000;

/** The wait until a cohort's next retry is due. */
export function waitForCohortMs(
  cohort: { dueAt: string | null; remainingMs: number; isEarly: boolean },
  nowMs: number,
): number {
  return Math.max(COHORT_PAUSE_MS, waitForAttemptMs(cohort, nowMs));
}

export type StepAhead = { step: number; at: Date };

type Waiting = { status: string; step: number; dueAt: Date | null };

/**
 * The coming attempts, each at its earliest: a wait counts from the end of the attempt before. A
 * finished or held delivery has none.
 */
export function stepsAhead({ status, step, dueAt }: Waiting): StepAhead[] {
  if (dueAt === null || (status !== 'pending' && status !== 'retrying')) return [];
  const ahead = [{ step, at: dueAt }];
  for (let next = step + 1; next <= LAST_STEP; next += 1) {
    const before = ahead.at(-1)!.at.getTime();
    ahead.push({ step: next, at: new Date(before + waitBeforeMs(next)!) });
  }
  return ahead;
}
