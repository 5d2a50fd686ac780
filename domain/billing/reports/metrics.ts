// Monthly metrics of subscriptions in UTC: recurring revenue and churn.
import type { BillingInterval } from '../recurring/billing-interval.ts';

/**
 * Subscriptions that are counted alike. A subscription is active from its first payment to its end,
 * also during grace and after cancelling until the end of the paid period.
 */
export type Cohort = {
  currency: string;
  billingInterval: BillingInterval;
  /** The month of the first payment; null before the first month asked about. */
  beganIn: string | null;
  /** Is null for a running subscription. */
  endedIn: string | null;
  count: number;
  /** The sum of one period's amounts. */
  sumMinor: number;
};

export type MonthFigures = ReturnType<typeof composeMonth>;

/** Returns the months in order for each currency code. */
export function composeFigures(cohorts: readonly Cohort[], months: readonly string[]) {
  const currencies = [...new Set(cohorts.map(({ currency }) => currency))].toSorted();
  return currencies.flatMap((currency) => {
    const own = cohorts.filter((cohort) => cohort.currency === currency);
    return months.map((month) => composeMonth(own, { month, currency }));
  });
}

function composeMonth(cohorts: readonly Cohort[], named: { month: string; currency: string }) {
  const { month } = named;
  const isBefore = ({ beganIn }: Cohort) => beganIn === null || beganIn < month;
  const endsHere = ({ endedIn }: Cohort) => endedIn === month;
  const isOver = ({ endedIn }: Cohort) => endedIn !== null && endedIn < month;
  const begins = ({ beganIn }: Cohort) => beganIn === month;
  const before = cohorts.filter((cohort) => isBefore(cohort) && !isOver(cohort));
  const begun = cohorts.filter(begins);
  const left = [...before, ...begun].filter((cohort) => !endsHere(cohort));
  const ofInterval = (interval: BillingInterval) =>
    left.filter(({ billingInterval }) => billingInterval === interval);
  const monthlyMinor = sumMinor(ofInterval('month'));
  const yearlyTwelfthMinor = twelfthMinor(sumMinor(ofInterval('year')));
  return {
    ...named,
    activeAtStart: count(before),
    began: count(begun),
    ended: count([...before, ...begun].filter(endsHere)),
    // Of those that were active at the start.
    lost: count(before.filter(endsHere)),
    activeAtEnd: count(left),
    // Monthly amounts, and a twelfth of yearly amounts, of what is active at the end.
    monthlyMinor,
    yearlyTwelfthMinor,
    revenueMinor: monthlyMinor + yearlyTwelfthMinor,
  };
}

/** Yearly amounts of a currency are added first and rounded once, half a minor unit up. */
export function twelfthMinor(yearlyMinor: number): number {
  return Math.floor((yearlyMinor + 6) / 12);
}

/** Returns tenths of a percent, half up; null when nothing was active at the start. */
export function churnPermille({
  lost,
  activeAtStart,
}: Pick<MonthFigures, 'lost' | 'activeAtStart'>): number | null {
  return activeAtStart === 0 ? null : Math.round((lost * 1_000) / activeAtStart);
}

function count(cohorts: readonly Cohort[]): number {
  return cohorts.reduce((total, { count: each }) => total + each, 0);
}

function sumMinor(cohorts: readonly Cohort[]): number {
  return cohorts.reduce((total, { sumMinor: each }) => total + each, 0);
}
