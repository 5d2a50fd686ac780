import { records } from './activities.ts';

type Swept = { overdue: Record<string, number>; failing: Record<string, number> };

/** Restarts the workflow of every overdue row. */
export async function sweep(): Promise<Swept> {
  const overdue = await records.sweepOverdue();
  const failing = await records.watchWorkflows();
  return { overdue, failing };
}
