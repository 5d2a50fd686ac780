import { SEAL_DAYS } from './criteria.ts';
import { DAY_MS, toDay } from '../shared/instant.ts';

/** The Monday of an instant's ISO week in UTC: `YYYY-MM-DD`. */
export function weekOf(instant: Date): string {
  const sinceMonday = (instant.getUTCDay() + 6) % 7;
  return toDay(new Date(instant.getTime() - sinceMonday * DAY_MS));
}

/** The days that the review of a week looks at: from the first one up to the week's Monday, which is not one of them. */
export function reviewedDays(week: string): { from: string; until: string } {
  return { from: toDay(new Date(Date.parse(week) - SEAL_DAYS * DAY_MS)), until: week };
}

/** Returns when the next review of all products begins: Mondays, 04:00 UTC. */
export function nextReviewAfter(instant: Date): Date {
  const thisWeek = Date.parse(`${weekOf(instant)}T04:00:00Z`);
  return new Date(instant.getTime() < thisWeek ? thisWeek : thisWeek + 7 * DAY_MS);
}
