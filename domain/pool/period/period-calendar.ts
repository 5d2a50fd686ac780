import { periodIdOf } from './pool-month.ts';
import { addMonths, monthOf, HOUR_MS } from '../../shared/instant.ts';

/** Late refunds and charges that clear late still count for the month. */
const FREEZE_AFTER_MS = 72 * HOUR_MS;
/**
 * The months after which the key of a period is erased: nobody can tell what a Member's fee did, so
 * the month is no longer corrected.
 */
export const MONTHS_KEPT = 24;

export type NewPeriod = {
  /** `2026-11:EUR`. */
  id: string;
  /** The month's first day. */
  month: string;
  currency: string;
  freezeDueAt: Date;
};

/** The periods of a currency from the month of an instant up to today's month, the oldest first. */
export function listPeriods(span: { currency: string; since: Date; today: Date }): NewPeriod[] {
  const { currency, since, today } = span;
  const first = Math.max(addMonths(since, 0).getTime(), addMonths(today, -MONTHS_KEPT).getTime());
  const periods: NewPeriod[] = [];
  for (let from = new Date(first); from <= today; from = addMonths(from, 1)) {
    const month = monthOf(from);
    const id = periodIdOf({ month, currency });
    periods.push({ id, month: `${month}-01`, currency, freezeDueAt: freezeDueOf(from) });
  }
  return periods;
}

/** Returns when the month of an instant is frozen. */
export function freezeDueOf(at: Date): Date {
  return new Date(addMonths(at, 1).getTime() + FREEZE_AFTER_MS);
}
