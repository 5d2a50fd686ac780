import { DAY_MS, HOUR_MS } from '../../shared/instant.ts';

/** A delivery's outcome in a chart. */
export const OUTCOMES = ['succeeded', 'under_way', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Counts of an hour or a day. */
export type HourOfOutcomes = { at: Date } & Record<Outcome, number>;

/** How far apart the bars of a chart are. */
const STEPS = { hour: HOUR_MS, day: DAY_MS } as const;
export type Step = keyof typeof STEPS;

/** One entry for each hour or day up to now, the oldest first, empty ones included. */
export function fillSteps(
  counted: readonly HourOfOutcomes[],
  { now, step, count }: { now: Date; step: Step; count: number },
): HourOfOutcomes[] {
  const byTime = new Map(counted.map((each) => [each.at.getTime(), each]));
  const length = STEPS[step];
  const last = Math.floor(now.getTime() / length) * length;
  return Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * length;
    return byTime.get(at) ?? { at: new Date(at), succeeded: 0, under_way: 0, failed: 0 };
  });
}
