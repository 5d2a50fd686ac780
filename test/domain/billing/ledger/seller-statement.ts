import test from 'ava';
import {
  composeStatements,
  decideMonth,
  GROSS_PARTS,
  monthsUpTo,
  SELLER_KINDS,
  splitGross,
  type Month,
  type SellerKind,
} from '../../../../domain/billing/ledger/seller-statement.ts';

const now = new Date('2026-11-22T00:00:00Z');

test('a month is named by its year and number, and has begun', (t) => {
  t.deepEqual(decideMonth('2026-11', now), {
    name: '2026-11',
    from: new Date('2026-11-01T00:00:00Z'),
    to: new Date('2026-12-01T00:00:00Z'),
  });
  t.like(decideMonth('2024-12', now), { to: new Date('2025-01-01T00:00:00Z') });
  t.deepEqual(decideMonth('2026-12', now), { refused: 'not_begun' });
  t.like(decideMonth('2026-12', new Date('2026-12-01T00:00:00Z')), { name: '2026-12' });
  for (const name of [
    '',
    '2026',
    '2026-1',
    '2026-13',
    '2026-00',
    '26-11',
    '2026-11-01',
    'x',
    '٢٠٢٦-١١',
  ]) {
    t.deepEqual(decideMonth(name, now), { refused: 'not_a_month' }, name);
  }
});

test('the months up to one of them go over the turn of a year', (t) => {
  const month = decideMonth('2026-02', now) as Month;
  t.deepEqual(monthsUpTo(month, 4), ['2025-11', '2025-12', '2026-01', '2026-02']);
});

const sum = (kind: SellerKind, sumMinor: number, more: object = {}) => ({
  month: '2026-11',
  currency: 'USD',
  kind,
  sumMinor,
  entries: 1,
  ...more,
});

test('a statement is a sum by kind, and its net the sum of all', (t) => {
  const [usd, ...others] = composeStatements([
    sum('refund', -400),
    sum('gross', 3_800, { entries: 2 }),
    sum('cut', -380),
    sum('cut_returned', 40),
    sum('dispute_fee', -1_500),
    sum('gross', 900, { month: '2026-10' }),
    sum('gross', 500, { currency: 'EUR' }),
  ]).toReversed();
  t.like(usd, { month: '2026-11', currency: 'USD', payments: 2, netMinor: 1_560 });
  t.like(usd!.sums, { gross: 3_800, cut: -380, refund: -400, reversal: 0, chargeback: 0 });
  t.deepEqual(
    others.map(({ month, currency, netMinor }) => [month, currency, netMinor]),
    [
      ['2026-10', 'USD', 900],
      ['2026-11', 'EUR', 500],
    ],
  );
});

test('where the gross has gone adds up to the gross, whatever was booked', (t) => {
  for (let seed = 1; seed < 200; seed += 1) {
    const found = SELLER_KINDS.map((kind, at) =>
      sum(kind, ((seed * (at + 7) * 7_919) % 4_001) - 2_000),
    );
    const [statement] = composeStatements(found);
    const parts = splitGross(statement!);
    t.is(
      GROSS_PARTS.reduce((total, name) => total + parts[name], 0),
      statement!.sums.gross,
    );
  }
});
