import { records } from './proxies.ts';

type Removed = { rateWindows: number; sessions: number; authorizations: number };

/** Removes what is over; what one batch leaves, the next visit takes. */
export async function upkeep(): Promise<Removed> {
  const { removed: rateWindows } = await records.removeOldRateWindows();
  const { removed: sessions } = await records.removeEndedSessions();
  const { removed: authorizations } = await records.removeDeadAuthorizations();
  await records.watchEndpoints();
  await records.removeOldRecords();
  return { rateWindows, sessions, authorizations };
}
