import test from 'ava';
import fc from 'fast-check';
import {
  feeOfMonthMinor,
  monthsOf,
  netFeeMinor,
  potMinor,
  type MemberCharge,
} from '../../../domain/pool/split/net-fee.ts';

const charge = (given: Partial<MemberCharge> = {}): MemberCharge => ({
  grossMinor: 999,
  processorFeeMinor: null,
  returnedMinor: 0,
  interval: 'month',
  succeededAt: new Date('2026-10-31T23:59:59.999Z'),
  ...given,
});

const NET: [title: string, given: Partial<MemberCharge>, netMinor: number][] = [
  ['a charge without a known fee', {}, 999],
  ["less the processor's fee", { processorFeeMinor: 59 }, 940],
  ['less what was returned so far', { processorFeeMinor: 59, returnedMinor: 400 }, 540],
  [
    'all of it returned: the fee is a loss of the platform',
    { processorFeeMinor: 59, returnedMinor: 999 },
    0,
  ],
  ['more returned than was charged', { returnedMinor: 1_200 }, 0],
];

for (const [title, given, netMinor] of NET) {
  test(`net fee: ${title}`, (t) => {
    t.is(netFeeMinor(charge(given)), netMinor);
  });
}

test('a monthly charge belongs wholly to the month in which it succeeded', (t) => {
  t.deepEqual(
    ['2026-09', '2026-10', '2026-11'].map((month) => feeOfMonthMinor(charge(), month)),
    [0, 999, 0],
  );
});

test('a yearly charge is spread over twelve months; units left over go to the earliest', (t) => {
  const yearly = charge({ interval: 'year', grossMinor: 9_999 });
  const months = monthsOf(yearly);
  t.is(months.length, 12);
  t.deepEqual([months[0], months[2], months[11]], ['2026-10', '2026-12', '2027-09']);
  t.deepEqual(
    months.map((month) => feeOfMonthMinor(yearly, month)),
    [834, 834, 834, 833, 833, 833, 833, 833, 833, 833, 833, 833],
  );
  t.is(feeOfMonthMinor(yearly, '2026-09'), 0);
  t.is(feeOfMonthMinor(yearly, '2027-10'), 0);
});

test('charges of one Member in one month are added before the pot is taken', (t) => {
  const both = [charge(), charge({ interval: 'year', grossMinor: 12_000 })];
  const [monthly, yearly] = both.map((each) => feeOfMonthMinor(each, '2026-10'));
  t.is(monthly! + yearly!, 1_999);
  t.is(potMinor(1_999, 7_000), 1_399);
});

const POTS: [netMinor: number, shareBps: number, pot: number][] = [
  [999, 7_000, 699],
  [999, 0, 0],
  [999, 10_000, 999],
  [1, 9_999, 0],
  [999_999_999_999, 9_999, 999_899_999_999],
];

for (const [netMinor, shareBps, pot] of POTS) {
  test(`the pot of ${netMinor} at ${shareBps} basis points is ${pot}`, (t) => {
    t.is(potMinor(netMinor, shareBps), pot);
  });
}

test('the months of a charge add up to its net fee, whatever was returned', (t) => {
  const charges = fc.record({
    grossMinor: fc.integer({ min: 1, max: 999_999_999_999 }),
    processorFeeMinor: fc.option(fc.integer({ min: 0, max: 10_000 })),
    returnedMinor: fc.integer({ min: 0, max: 999_999_999_999 }),
    interval: fc.constantFrom('month' as const, 'year' as const),
    succeededAt: fc.date({
      min: new Date('2026-01-01'),
      max: new Date('2030-01-01'),
      noInvalidDate: true,
    }),
  });
  fc.assert(
    fc.property(charges, (made) => {
      const parts = monthsOf(made).map((month) => feeOfMonthMinor(made, month));
      t.is(
        parts.reduce((sum, part) => sum + part, 0),
        netFeeMinor(made),
      );
      t.true(Math.max(...parts) - Math.min(...parts) <= 1);
    }),
  );
});
