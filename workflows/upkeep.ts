import { runEach } from '../domain/shared/run-each.ts';
import { scheduled } from './activities.ts';

type UpkeepCounts = { rateWindows: number; sessions: number; authorizations: number };

const { records, reviews } = scheduled;

// Each call takes seconds; the next run continues.
const CALLS = 30;

/** Removes expired rows, then sums usage and figures: a large product keeps no row from being removed. */
export async function upkeep(): Promise<UpkeepCounts> {
  const removed = { rateWindows: 0, sessions: 0, authorizations: 0 };
  await runEach(
    async () => void (removed.rateWindows = (await records.removeOldRateWindows()).removed),
    async () => void (removed.sessions = (await records.removeEndedSessions()).removed),
    async () => void (removed.authorizations = (await records.removeDeadAuthorizations()).removed),
    () => records.watchEndpoints(),
    () => repeat(() => records.removeOldRecords()),
    () => repeat(() => reviews.sumUsage()),
    () => reviews.sumFigures(),
  );
  return removed;
}

/** Calls until nothing is left. */
async function repeat(step: () => Promise<boolean>): Promise<void> {
  for (let call = 1; call <= CALLS; call += 1) if (!(await step())) return;
}
