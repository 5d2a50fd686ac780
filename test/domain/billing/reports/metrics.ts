import test from 'ava';
import {
  churnPermille,
  composeFigures,
  twelfthMinor,
  type Cohort,
} from '../../../../domain/billing/reports/metrics.ts';

const MONTHS = ['2026-09', '2026-10', '2026-11'];

const cohort = (beganIn: string | null, endedIn: string | null, more: object = {}): Cohort => ({
  currency: 'USD',
  billingInterval: 'month',
  beganIn,
  endedIn,
  count: 1,
  sumMinor: 1_900,
  ...more,
});

/** At the start, began, ended, lost, at the end: of each month. */
const countsOf = (cohorts: Cohort[]) =>
  composeFigures(cohorts, MONTHS).map((of) =>
    [of.activeAtStart, of.began, of.ended, of.lost, of.activeAtEnd].join(' '),
  );

const COUNTED: [string, Cohort, string[]][] = [
  ['running from before', cohort(null, null), ['1 0 0 0 1', '1 0 0 0 1', '1 0 0 0 1']],
  ['begun in the middle', cohort('2026-10', null), ['0 0 0 0 0', '0 1 0 0 1', '1 0 0 0 1']],
  ['ended later', cohort(null, '2026-10'), ['1 0 0 0 1', '1 0 1 1 0', '0 0 0 0 0']],
  ['ended at first', cohort(null, '2026-09'), ['1 0 1 1 0', '0 0 0 0 0', '0 0 0 0 0']],
  ['a month long', cohort('2026-09', '2026-10'), ['0 1 0 0 1', '1 0 1 1 0', '0 0 0 0 0']],
  ['within a month', cohort('2026-10', '2026-10'), ['0 0 0 0 0', '0 1 1 0 0', '0 0 0 0 0']],
];

for (const [title, one, expected] of COUNTED) {
  test(`a subscription is active from its first payment to its end: ${title}`, (t) => {
    t.deepEqual(countsOf([one]), expected);
    const many = countsOf([one, one, { ...one, count: 2 }]);
    t.deepEqual(
      many,
      expected.map((counts) => counts.replaceAll('1', '4')),
    );
  });
}

test('what is active at the end of one month is active at the start of the next', (t) => {
  const figures = composeFigures(
    COUNTED.map(([, one]) => one),
    MONTHS,
  );
  for (const [index, month] of figures.entries()) {
    t.is(month.activeAtStart + month.began - month.ended, month.activeAtEnd);
    if (index > 0) t.is(month.activeAtStart, figures[index - 1]!.activeAtEnd);
  }
});

test('monthly recurring revenue is the amount of a monthly one and a twelfth of a yearly one', (t) => {
  const yearly = { billingInterval: 'year', sumMinor: 10_000 };
  const figures = composeFigures([cohort(null, null), cohort('2026-10', null, yearly)], MONTHS);
  t.deepEqual(
    figures.map((of) => [of.monthlyMinor, of.yearlyTwelfthMinor, of.revenueMinor]),
    [
      [1_900, 0, 1_900],
      [1_900, 833, 2_733],
      [1_900, 833, 2_733],
    ],
  );
});

test('yearly amounts are added up first and rounded once, half a minor unit up', (t) => {
  const rounded = [0, 5, 6, 11, 17, 18, 12_000, 10_000, 999_999_999_999].map(twelfthMinor);
  t.deepEqual(rounded, [0, 0, 1, 1, 1, 2, 1_000, 833, 83_333_333_333]);
  const yearly = (sumMinor: number) =>
    cohort(null, null, { billingInterval: 'year', currency: 'JPY', sumMinor });
  const [jpy] = composeFigures([yearly(1_000), yearly(1_000), yearly(1_000)], MONTHS);
  t.is(jpy!.revenueMinor, 250);
});

test('each currency has its own months, in the order of the codes', (t) => {
  const kwd = cohort(null, '2026-10', { currency: 'KWD', sumMinor: 12_345 });
  const figures = composeFigures([cohort('2026-11', null), kwd], MONTHS);
  t.deepEqual(
    figures.map(({ currency, month, revenueMinor }) => [currency, month, revenueMinor]),
    [
      ['KWD', '2026-09', 12_345],
      ['KWD', '2026-10', 0],
      ['KWD', '2026-11', 0],
      ['USD', '2026-09', 0],
      ['USD', '2026-10', 0],
      ['USD', '2026-11', 1_900],
    ],
  );
  t.deepEqual(composeFigures([], MONTHS), []);
});

test('churn is what was lost of what was active at the start, to a tenth of a percent', (t) => {
  for (const [lost, activeAtStart, permille] of [
    [0, 0, null],
    [0, 7, 0],
    [1, 3, 333],
    [2, 3, 667],
    [1, 16, 63],
    [1, 2_000, 1],
    [1, 2_001, 0],
    [5, 5, 1_000],
  ] as const) {
    t.is(churnPermille({ lost, activeAtStart }), permille, `${lost} of ${activeAtStart}`);
  }
});
