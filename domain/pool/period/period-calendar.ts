import { addMonths, monthOf } from '../../billing/ledger/statement.ts';

/** Late refunds and charges that clear late still count for the month. */
const FREEZE_AFTER_MS = 72 * 3_600_000;
/** Older months are no longer corrected. */
const MOST_MONTHS_BACK = 24;

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
  const first = Math.max(
    addMonths(since, 0).getTime(),
    addMonths(today, -MOST_MONTHS_BACK).getTime(),
  );
  const periods: NewPeriod[] = [];
  for (let from = new Date(first); from <= today; from = addMonths(from, 1)) {
    const month = monthOf(from);
    const freezeDueAt = new Date(addMonths(from, 1).getTime() + FREEZE_AFTER_MS);
    periods.push({ id: `${month}:${currency}`, month: `${month}-01`, currency, freezeDueAt });
  }
  return periods;
}
