import test from 'ava';
import {
  composeAhead,
  horizonOf,
  type Due,
  type NextCharge,
} from '../../../../domain/billing/reports/renewals-ahead.ts';

const now = new Date('2026-11-22T15:30:00Z');

const next = (day: string, more: object = {}): NextCharge => ({
  currency: 'USD',
  billingInterval: 'month',
  day: new Date(day),
  count: 1,
  sumMinor: 1_900,
  ...more,
});

const YEARLY = { billingInterval: 'year', sumMinor: 19_000 };

/** By label, how much of monthly and of yearly ones; what is nothing is left out. */
const shown = (spans: Due[]) =>
  Object.fromEntries(
    spans
      .filter(({ count }) => count > 0)
      .map(({ label, monthlyMinor, yearlyMinor }) => [label, `${monthlyMinor} ${yearlyMinor}`]),
  );

const ofOne = (charge: NextCharge) => composeAhead([charge], now)[0]!;

test('four weeks from today on, and twelve months from this one on', (t) => {
  const { weeks, months } = ofOne(next('2026-11-22'));
  t.deepEqual(
    weeks.map(({ label }) => label),
    ['2026-11-22', '2026-11-29', '2026-12-06', '2026-12-13'],
  );
  t.is(months.length, 12);
  t.is(months[0]!.label, '2026-11');
  t.is(months.at(-1)!.label, '2027-10');
  t.deepEqual(horizonOf(now), new Date('2027-11-01T00:00:00Z'));
});

test('a monthly one is due in each month, a yearly one once', (t) => {
  const monthly = ofOne(next('2026-12-05'));
  t.deepEqual(shown(monthly.weeks), { '2026-11-29': '1900 0' });
  t.is(monthly.months[0]!.count, 0);
  t.true(monthly.months.slice(1).every(({ monthlyMinor }) => monthlyMinor === 1_900));
  const yearly = ofOne(next('2026-12-19', YEARLY));
  t.deepEqual(shown(yearly.weeks), { '2026-12-13': '0 19000' });
  t.deepEqual(shown(yearly.months), { '2026-12': '0 19000' });
  t.deepEqual(shown(ofOne(next('2027-10-31', YEARLY)).months), { '2027-10': '0 19000' });
});

test('a week ends before the day with which the next one begins', (t) => {
  t.deepEqual(shown(ofOne(next('2026-11-28', YEARLY)).weeks), { '2026-11-22': '0 19000' });
  t.deepEqual(shown(ofOne(next('2026-11-29', YEARLY)).weeks), { '2026-11-29': '0 19000' });
  t.deepEqual(shown(ofOne(next('2026-12-20', YEARLY)).weeks), {});
});

test('the last day of a long month is the last day of a short one, and no month is skipped', (t) => {
  const { months } = ofOne(next('2027-01-31'));
  t.deepEqual(
    months.map(({ count }) => count),
    [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  );
});

test('what is overdue is due today, once, and goes on from there', (t) => {
  const { weeks, months } = ofOne(next('2026-09-20'));
  t.deepEqual(shown(weeks), { '2026-11-22': '1900 0' });
  t.true(months.every(({ count }) => count === 1));
});

test('each currency for itself, in the order of the codes; nothing is nothing', (t) => {
  const found = composeAhead(
    [next('2026-11-23'), next('2026-11-23', { currency: 'JPY', sumMinor: 500, count: 3 })],
    now,
  );
  t.deepEqual(
    found.map(({ currency, weeks }) => [currency, weeks[0]!.count, weeks[0]!.monthlyMinor]),
    [
      ['JPY', 3, 500],
      ['USD', 1, 1_900],
    ],
  );
  t.deepEqual(composeAhead([], now), []);
});
