// The charges of the coming weeks and months if every running subscription continues.
import { BILLING_MONTHS, type BillingInterval } from '../recurring/billing-interval.ts';
import { addMonths, monthOf, DAY_MS, toDay } from '../../shared/instant.ts';

const WEEKS_AHEAD = 4;
const MONTHS_AHEAD = 12;

/** Subscriptions with their next charge on the same day. */
export type NextCharge = {
  currency: string;
  billingInterval: BillingInterval;
  /** Midnight UTC; in the past when the processor's event is awaited. */
  day: Date;
  count: number;
  sumMinor: number;
};

export type Due = ReturnType<typeof addUp>;

export type Ahead = { currency: string; weeks: Due[]; months: Due[] };

/** Returns for each currency code the weeks from today, and the months from the current one. */
export function composeAhead(next: readonly NextCharge[], now: Date): Ahead[] {
  const today = midnight(now);
  const months = monthsFrom(today);
  const charges = next.flatMap((charge) => chargesOf(charge, { today, until: months.at(-1)!.to }));
  const currencies = [...new Set(next.map(({ currency }) => currency))].toSorted();
  return currencies.map((currency) => {
    const own = charges.filter((charge) => charge.currency === currency);
    const add = (span: Span) => addUp(own, span);
    return { currency, weeks: weeksFrom(today).map(add), months: months.map(add) };
  });
}

/** The end of the charges to look for. */
export function horizonOf(now: Date): Date {
  return monthsFrom(midnight(now)).at(-1)!.to;
}

type Span = { label: string; from: Date; to: Date };

function weeksFrom(today: Date): Span[] {
  const day = (days: number) => new Date(today.getTime() + days * DAY_MS);
  return Array.from({ length: WEEKS_AHEAD }, (_, index) => {
    const from = day(index * 7);
    return { label: toDay(from), from, to: day(index * 7 + 7) };
  });
}

function monthsFrom(today: Date): Span[] {
  return Array.from({ length: MONTHS_AHEAD }, (_, index) => {
    const from = addMonths(today, index);
    return { label: monthOf(from), from, to: addMonths(today, index + 1) };
  });
}

/** The next charge, today when it is overdue, and the charges that follow. */
function chargesOf(next: NextCharge, { today, until }: { today: Date; until: Date }): NextCharge[] {
  const made = [{ ...next, day: next.day < today ? today : next.day }];
  const step = BILLING_MONTHS[next.billingInterval];
  for (let months = step; ; months += step) {
    const day = sameDayLater(next.day, months);
    if (day >= until) return made;
    if (day > today) made.push({ ...next, day });
  }
}

/** Returns the last day in a shorter month, as the processor bills it. */
function sameDayLater(day: Date, months: number): Date {
  const from = addMonths(day, months);
  const lastDay = new Date(addMonths(from, 1).getTime() - DAY_MS).getUTCDate();
  return new Date(from.getTime() + (Math.min(day.getUTCDate(), lastDay) - 1) * DAY_MS);
}

/** The label is the first day of a week, or the month. */
function addUp(charges: readonly NextCharge[], { label, from, to }: Span) {
  const due = { label, count: 0, monthlyMinor: 0, yearlyMinor: 0 };
  for (const { day, billingInterval, count, sumMinor } of charges) {
    if (day < from || day >= to) continue;
    due.count += count;
    if (billingInterval === 'month') due.monthlyMinor += sumMinor;
    else due.yearlyMinor += sumMinor;
  }
  return due;
}

function midnight(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}
