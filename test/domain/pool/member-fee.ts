import test from 'ava';
import { listMonthsPaid, type FeeMonth } from '../../../domain/pool/member/fee-months.ts';
import { correctFee, splitFee } from '../../../domain/pool/member/fee-split.ts';
import { sha256Hex } from '../../../domain/shared/sha256.ts';

const terms = { period: '2026-10', rule: 'user-centric-1', poolShareBps: 7_000 };
const given = { terms, sha256: sha256Hex };
const products = [
  { product: 'editor', days: 20 },
  { product: 'planner', days: 6 },
  { product: 'helper', days: 1 },
];
const paid = { member: 'ana', netMinor: 999, products };

test('999 over 20, 6 and 1 days gives 518, 155 and 26, and 300 to the platform', (t) => {
  t.deepEqual(splitFee(paid, given), {
    feesMinor: 999,
    platformMinor: 300,
    unattributedMinor: 0,
    products: [
      { product: 'editor', days: 20, amountMinor: 518 },
      { product: 'planner', days: 6, amountMinor: 155 },
      { product: 'helper', days: 1, amountMinor: 26 },
    ],
  });
});

test('without a day the pot is unattributed', (t) => {
  const split = splitFee({ ...paid, products: [] }, given);
  t.like(split, { platformMinor: 300, unattributedMinor: 699 });
  t.deepEqual(split.products, []);
});

test('a correction names only what has changed', (t) => {
  const { member, ...before } = paid;
  t.deepEqual(correctFee({ member, before, after: before }, given).products, []);
  const after = { netMinor: 0, products };
  t.deepEqual(
    correctFee({ member, before, after }, given).products.map(({ amountMinor }) => amountMinor),
    [-518, -155, -26],
  );
});

test('a rule that is unknown is a fault', (t) => {
  const unknown = { ...given, terms: { ...terms, rule: 'another-9' } };
  t.throws(() => splitFee(paid, unknown), { message: /the rule "another-9" is unknown/ });
});

const at = new Date('2026-11-26T10:00:00Z');
const dueAt = new Date('2026-11-04T00:00:00Z');
const monthly = {
  currency: 'USD',
  interval: 'month' as const,
  succeededAt: new Date('2026-10-15T12:00:00Z'),
};
const october = { month: '2026-10', currency: 'USD', hasKey: true, freezeDueAt: dueAt };

const STATES: [string, string, boolean, FeeMonth['state']][] = [
  ['open', 'open', true, 'on_its_way'],
  ['frozen', 'frozen', true, 'known'],
  ['paid', 'paid', true, 'known'],
  ['without its key', 'paid', false, 'erased'],
  ['empty', 'empty', true, 'empty'],
];

for (const [name, status, hasKey, state] of STATES) {
  test(`a period that is ${name} is ${state}`, (t) => {
    t.deepEqual(listMonthsPaid([monthly], { periods: [{ ...october, status, hasKey }], at }), [
      { month: '2026-10', currency: 'USD', state, dueAt },
    ]);
  });
}

test('a month without a period is on its way, until 72 hours after its end', (t) => {
  const periods = [{ ...october, currency: 'EUR', status: 'paid' }];
  t.deepEqual(listMonthsPaid([monthly], { periods, at }), [
    { month: '2026-10', currency: 'USD', state: 'on_its_way', dueAt },
  ]);
});

test('months are named once, the newest first, and none before 24 months or to come', (t) => {
  const yearly = { ...monthly, interval: 'year' as const };
  const old = { ...yearly, succeededAt: new Date('2024-01-31T23:00:00Z') };
  const months = listMonthsPaid([old, monthly, monthly, yearly], { periods: [], at });
  t.deepEqual(
    months.map(({ month }) => month),
    ['2026-11', '2026-10', '2024-12', '2024-11'],
  );
});
