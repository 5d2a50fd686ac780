// What subscriptions come to, month by month of UTC: revenue that comes again, and churn.
import type { BillingInterval } from '../subscriptions/billing-interval.ts';

/**
 * Subscriptions that are counted alike. One counts as active from its first payment to its end: also
 * in its days of grace, and after it was cancelled until what is paid for is over.
 */
export type Cohort = {
  currency: string;
  billingInterval: BillingInterval;
  /** The month of its first payment; null where that was before all that are asked about. */
  beganIn: string | null;
  /** Null for what runs. */
  endedIn: string | null;
  count: number;
  /** What all of them pay for one of their periods. */
  sumMinor: number;
};

export type MonthFigures = {
  month: string;
  currency: string;
  activeAtStart: number;
  began: number;
  ended: number;
  /** Of those that were active at its start. */
  lost: number;
  activeAtEnd: number;
  /** Of what is active at its end: what monthly ones pay, and a twelfth of what yearly ones do. */
  monthlyMinor: number;
  yearlyTwelfthMinor: number;
  revenueMinor: number;
};

/** For each currency, by its code, one of each month in their order. */
export function composeFigures(
  cohorts: readonly Cohort[],
  months: readonly string[],
): MonthFigures[] {
  const currencies = [...new Set(cohorts.map(({ currency }) => currency))].toSorted();
  return currencies.flatMap((currency) => {
    const own = cohorts.filter((cohort) => cohort.currency === currency);
    return months.map((month) => figuresOf(own, { month, currency }));
  });
}

function figuresOf(
  cohorts: readonly Cohort[],
  named: { month: string; currency: string },
): MonthFigures {
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
    lost: count(before.filter(endsHere)),
    activeAtEnd: count(left),
    monthlyMinor,
    yearlyTwelfthMinor,
    revenueMinor: monthlyMinor + yearlyTwelfthMinor,
  };
}

/** Of the yearly amounts of a currency together, rounded once: half a minor unit counts as one. */
export function twelfthMinor(yearlyMinor: number): number {
  return Math.floor((yearlyMinor + 6) / 12);
}

/** In tenths of a percent, half of one rounded up; null where nothing was active to be lost. */
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
