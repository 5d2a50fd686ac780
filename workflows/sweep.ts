import { records } from './activities.ts';

type Swept = { overdue: Record<string, number>; failing: Record<string, number> };

/** Looks at every row that only a workflow moves on: what a lost workflow has left begins again. */
export async function sweep(): Promise<Swept> {
  const overdue = await records.sweepOverdue();
  const failing = await records.watchWorkflows();
  return { overdue, failing };
}
