import { runEach } from '../domain/shared/run-each.ts';
import { scheduled } from './activities.ts';

type SweepCounts = { overdue: Record<string, number>; failing: Record<string, number> };

const { records } = scheduled;

/** Restarts the workflow of every overdue row. */
export async function sweep(): Promise<SweepCounts> {
  const swept: SweepCounts = { overdue: {}, failing: {} };
  await runEach(
    async () => void (swept.overdue = await records.sweepOverdue()),
    async () => void (swept.failing = await records.watchWorkflows()),
  );
  return swept;
}
