import test from 'ava';
import {
  changeInPercent,
  composeOverview,
  fillDays,
  firstDayOf,
  shareInPercent,
  type Figure,
} from '../../../domain/product-figures/overview.ts';

const TODAY = '2026-03-03';

const sale = (day: string, sumMinor: number): Figure => ({
  day,
  kind: 'sales',
  count: 1,
  sumMinor,
});
const counted = (day: string, kind: Figure['kind'], count: number): Figure => ({
  day,
  kind,
  count,
  sumMinor: 0,
});

for (const [before, value, change] of [
  [100, 112.4, 12.4],
  [300, 200, -33.3],
  [3, 2, -33.3],
  [0, 0, 0],
  [0, 5, null],
  [0, -5, null],
  [-5, 5, null],
  [-5, -5, 0],
  [100, -20, -120],
  [10_000, 9_999, 0],
  [1, 1_000_000, 99_999_900],
] as const) {
  test(`from ${before} to ${value} is a change of ${change} percent`, (t) => {
    t.is(changeInPercent(before, value), change);
  });
}

for (const [part, whole, share] of [
  [0, 0, null],
  [0, 7, 0],
  [7, 7, 100],
  [9_999, 10_000, 99.9],
  [2, 3, 66.6],
] as const) {
  test(`${part} of ${whole} is ${share} percent`, (t) => {
    t.is(shareInPercent(part, whole), share);
  });
}

for (const [days, first] of [
  [7, '2026-02-18'],
  [28, '2026-01-07'],
  [90, '2025-09-05'],
] as const) {
  test(`${days} days and as many before begin on ${first}, and none of them is missing`, (t) => {
    const span = { today: TODAY, days };
    t.is(firstDayOf(span), first);
    const filled = fillDays([sale(first, 5), counted(TODAY, 'customers', 2)], span);
    t.is(filled.length, 2 * days);
    t.is(new Set(filled.map(({ day }) => day)).size, 2 * days);
    t.is(filled.at(-1)!.day, TODAY);
    const zeros = { revenueMinor: 0, customers: 0, open: 0, locked: 0 };
    const none = { ...zeros, accepted: 0, retried: 0, failing: 0 };
    t.deepEqual(filled[0], { ...none, day: first, revenueMinor: 5 });
    t.deepEqual(filled.at(-1), { ...none, day: TODAY, customers: 2 });
    for (const { day, ...others } of filled.slice(1, -1)) t.deepEqual(others, none, day);
  });
}

test('figures outside of both spans are left out', (t) => {
  const span = { today: TODAY, days: 7 };
  const filled = fillDays([sale('2026-02-17', 5), sale('2026-03-04', 7)], span);
  t.true(filled.every(({ revenueMinor }) => revenueMinor === 0));
});

test('the days are beside those before, and today is marked', (t) => {
  const refund: Figure = { day: TODAY, kind: 'refunds', count: 1, sumMinor: 900 };
  const figures = [sale(TODAY, 500), refund, sale('2026-02-24', 300), sale('2026-02-25', 200)];
  const { days, strips, total, from, to } = composeOverview(figures, { today: TODAY, days: 7 });
  t.deepEqual([from, to], ['2026-02-25', TODAY]);
  t.deepEqual(
    days.map(({ day, revenueMinor, revenueBeforeMinor, isToday }) => [
      day,
      revenueMinor,
      revenueBeforeMinor,
      isToday,
    ]),
    [
      ['2026-02-25', 200, 0, false],
      ['2026-02-26', 0, 0, false],
      ['2026-02-27', 0, 0, false],
      ['2026-02-28', 0, 0, false],
      ['2026-03-01', 0, 0, false],
      ['2026-03-02', 0, 0, false],
      [TODAY, -400, 300, true],
    ],
  );
  t.deepEqual(strips.revenue, {
    value: -200,
    before: 300,
    change: -166.7,
    series: [200, 0, 0, 0, 0, 0, -400],
  });
  t.deepEqual(total, { revenueMinor: -200, change: -166.7 });
});

for (const [days, weeks, first] of [
  [7, 1, { from: '2026-02-25', to: TODAY }],
  [28, 4, { from: '2026-02-04', to: '2026-02-10' }],
  [90, 13, { from: '2025-12-04', to: '2025-12-09' }],
] as const) {
  test(`${days} days are ${weeks} weeks up to today, each beside the same days before`, (t) => {
    const figures = fillDays([], { today: TODAY, days }).map(({ day }, index) =>
      sale(day, index < days ? 100 : 150),
    );
    const overview = composeOverview(figures, { today: TODAY, days });
    t.is(overview.weeks.length, weeks);
    t.like(overview.weeks[0], first);
    t.like(overview.weeks.at(-1), { from: '2026-02-25', to: TODAY, revenueMinor: 1_050 });
    t.true(overview.weeks.every(({ change }) => change === 50));
    const sum = overview.weeks.reduce((n, { revenueMinor }) => n + revenueMinor, 0);
    t.deepEqual(overview.total, { revenueMinor: sum, change: 50 });
  });
}

test('customers are those of now, beside those at the end of the last day before', (t) => {
  const figures = [
    counted('2026-02-23', 'customers', 90),
    counted('2026-02-24', 'customers', 10),
    counted('2026-02-25', 'customers', 20),
    counted(TODAY, 'customers', 7),
  ];
  const { customers } = composeOverview(figures, { today: TODAY, days: 7 }).strips;
  t.deepEqual(customers, { value: 7, before: 10, change: -3, series: [20, 0, 0, 0, 0, 0, 7] });
});

test('checks are those that found access and those that did not', (t) => {
  const figures = [
    counted('2026-02-18', 'checks_open', 4),
    counted('2026-03-02', 'checks_open', 5),
    counted('2026-03-02', 'checks_locked', 1),
  ];
  const { checks } = composeOverview(figures, { today: TODAY, days: 7 }).strips;
  t.deepEqual(checks, { value: 6, before: 4, change: 50, series: [0, 0, 0, 0, 0, 6, 0] });
});

for (const [title, figures, value, before, change] of [
  ['nothing was sent', [], null, null, null],
  ['nothing was sent before', [['2026-03-01', 'deliveries_accepted', 3]], 100, null, null],
  ['nothing was sent since', [['2026-02-20', 'deliveries_failing', 3]], null, 0, null],
  [
    'a retry was accepted, and one waits',
    [
      ['2026-02-20', 'deliveries_accepted', 9],
      ['2026-02-20', 'deliveries_failing', 1],
      ['2026-03-01', 'deliveries_accepted', 97],
      ['2026-03-02', 'deliveries_retried', 2],
      [TODAY, 'deliveries_failing', 1],
    ],
    99,
    90,
    9,
  ],
] as const) {
  test(`accepted deliveries where ${title}: ${value} percent`, (t) => {
    const found = figures.map(([day, kind, count]) => counted(day, kind, count));
    const { deliveries } = composeOverview(found, { today: TODAY, days: 7 }).strips;
    t.like(deliveries, { value, before, change });
  });
}
