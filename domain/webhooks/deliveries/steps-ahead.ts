import { LAST_STEP, waitBeforeMs } from './retry-schedule.ts';

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
