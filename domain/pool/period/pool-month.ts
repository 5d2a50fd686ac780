// A month of the pool as the readers of its facts ask for it.
import { addMonths } from '../../shared/instant.ts';
import { BILLING_MONTHS } from '../../billing/recurring/billing-interval.ts';

/** A period's month, `2026-11`, in one currency. */
export type PoolMonth = { month: string; currency: string };

/** The instants of a month: `until` is the first one that is not in it. */
export type MonthSpan = { from: Date; until: Date };

export function spanOf(month: string): MonthSpan {
  const from = new Date(`${month}-01T00:00:00Z`);
  return { from, until: addMonths(from, 1) };
}

/** A yearly charge from here on still pays for the month. */
export function firstYearlyCharge(month: string): Date {
  return addMonths(spanOf(month).from, 1 - BILLING_MONTHS.year);
}

/** The id of a period: `2026-11:EUR`. */
export const PERIOD_ID = /^2\d{3}-\d{2}:[A-Z]{3}$/;
export const PERIOD_ID_LENGTH = 11;

export function periodIdOf({ month, currency }: PoolMonth): string {
  return `${month}:${currency}`;
}

export function readPeriodId(periodId: string): PoolMonth {
  const [month = '', currency = ''] = periodId.split(':');
  return { month, currency };
}
