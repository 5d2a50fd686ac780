import { addMonths, DAY_MS } from '../../shared/instant.ts';

/** Half open: `until` is the first instant that does not belong to it. Null is still running. */
export type Interval = { from: Date; until: Date | null };

/** Days of a month as bits: the lowest bit is its first day in UTC. */
export type DayMask = number;

type Days = Record<'qualified' | 'included' | 'excluded', DayMask>;

/**
 * The days that count for the pool: qualified, on a day on which the product was Included at some
 * time, and the person at no time had complimentary access or belonged to the team.
 */
export function countingOf({ qualified, included, excluded }: Days): DayMask {
  return qualified & included & ~excluded;
}

/** The days of a month that have at least one instant in an interval. */
export function daysTouched(month: string, intervals: readonly Interval[]): DayMask {
  const start = startOf(month);
  const days = daysIn(month);
  let mask = 0;
  for (const { from, until } of intervals) {
    const firstMs = Math.max(from.getTime() - start, 0);
    const endMs = Math.min((until?.getTime() ?? Infinity) - start, days * DAY_MS);
    if (endMs <= firstMs) continue;
    const first = Math.floor(firstMs / DAY_MS);
    const last = Math.ceil(endMs / DAY_MS) - 1;
    for (let day = first; day <= last; day += 1) mask |= 1 << day;
  }
  return mask;
}

export function countDays(mask: DayMask): number {
  let days = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) days += 1;
  return days;
}

export function daysIn(month: string): number {
  const start = startOf(month);
  return (addMonths(new Date(start), 1).getTime() - start) / DAY_MS;
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}
