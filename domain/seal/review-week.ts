import { SEAL_DAYS } from './criteria.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The Monday of an instant's ISO week in UTC: `YYYY-MM-DD`. */
export function weekOf(instant: Date): string {
  const sinceMonday = (instant.getUTCDay() + 6) % 7;
  return dayOf(new Date(instant.getTime() - sinceMonday * DAY_MS));
}

/** The days that the review of a week looks at: from the first one up to the week's Monday, which is not one of them. */
export function reviewedDays(week: string): { from: string; until: string } {
  return { from: dayOf(new Date(Date.parse(week) - SEAL_DAYS * DAY_MS)), until: week };
}

/** When the next review of all products begins: Mondays, 04:00 UTC. */
export function nextReviewAfter(instant: Date): Date {
  const thisWeek = Date.parse(`${weekOf(instant)}T04:00:00Z`);
  return new Date(instant.getTime() < thisWeek ? thisWeek : thisWeek + 7 * DAY_MS);
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
