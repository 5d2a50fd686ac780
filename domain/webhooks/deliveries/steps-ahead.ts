import { LAST_STEP, waitBeforeMs } from './retry-schedule.ts';

export type StepAhead = { step: number; at: Date };

type Waiting = { status: string; step: number; dueAt: Date | null };

/**
 * The attempts that are still to come, each at the earliest: a wait counts from the end of the attempt
 * before it. What is over, or waits for somebody, has none.
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
