import { records } from './proxies.ts';

/** Removes what is over; what one batch leaves, the next visit takes. */
export async function upkeep(): Promise<{ rateWindows: number; sessions: number }> {
  const { removed: rateWindows } = await records.removeOldRateWindows();
  const { removed: sessions } = await records.removeEndedSessions();
  return { rateWindows, sessions };
}
