import { HOUR_MS } from '../../shared/instant.ts';

/** A delivery's outcome in a chart. */
export const OUTCOMES = ['succeeded', 'under_way', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

export type HourOfOutcomes = { at: Date } & Record<Outcome, number>;

/** One entry for each hour up to now, the oldest first, empty hours included. */
export function fillHours(
  counted: readonly HourOfOutcomes[],
  { now, hours }: { now: Date; hours: number },
): HourOfOutcomes[] {
  const byHour = new Map(counted.map((hour) => [hour.at.getTime(), hour]));
  const last = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return Array.from({ length: hours }, (_, index) => {
    const at = last - (hours - 1 - index) * HOUR_MS;
    return byHour.get(at) ?? { at: new Date(at), succeeded: 0, under_way: 0, failed: 0 };
  });
}
