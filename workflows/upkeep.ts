import { records, reviews } from './activities.ts';

type Removed = { rateWindows: number; sessions: number; authorizations: number };

// Each call takes seconds; the next run continues.
const CALLS = 30;

/** Removes expired rows, then sums usage: a large product keeps no row from being removed. */
export async function upkeep(): Promise<Removed> {
  const { removed: rateWindows } = await records.removeOldRateWindows();
  const { removed: sessions } = await records.removeEndedSessions();
  const { removed: authorizations } = await records.removeDeadAuthorizations();
  await records.watchEndpoints();
  let isAnyLeft = await records.removeOldRecords();
  for (let call = 1; isAnyLeft && call < CALLS; call += 1)
    isAnyLeft = await records.removeOldRecords();
  isAnyLeft = await reviews.sumUsage();
  for (let call = 1; isAnyLeft && call < CALLS; call += 1) isAnyLeft = await reviews.sumUsage();
  return { rateWindows, sessions, authorizations };
}
