import test from 'ava';
import fc from 'fast-check';
import { correctMember } from '../../../domain/pool/split/correction.ts';
import { splitByLargestRemainder } from '../../../domain/pool/split/largest-remainder.ts';
import {
  findPoolRule,
  POOL_RULE,
  type MemberMonth,
  type PoolTerms,
} from '../../../domain/pool/split/pool-rule.ts';
import { sha256Hex } from '../../../domain/shared/sha256.ts';

const terms: PoolTerms = { period: '2026-10', rule: 'user-centric-1', poolShareBps: 7_000 };
const given = { rule: POOL_RULE, terms, sha256: sha256Hex };
const split = (member: MemberMonth) => POOL_RULE.splitMember(member, given);
const monthOf = (days: number[], netMinor = 999): MemberMonth => ({
  member: 'member',
  netMinor,
  products: days.map((count, index) => ({ product: `product ${index}`, days: count })),
});
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

const SPLITS: [total: number, weights: number[], amounts: number[]][] = [
  [699, [20, 6, 1], [518, 155, 26]],
  [699, [31], [699]],
  [0, [3, 4], [0, 0]],
  [1, [1, 2], [0, 1]],
  [10, [5, 0, 5], [5, 0, 5]],
  [
    999_999_999_999_999,
    [31, 31, 1],
    [492_063_492_063_492, 492_063_492_063_491, 15_873_015_873_016],
  ],
];

for (const [total, weights, amounts] of SPLITS) {
  test(`${total} over ${weights.join(', ')} is ${amounts.join(', ')}`, (t) => {
    t.deepEqual(splitByLargestRemainder(total, { weights, rankOf: String }), amounts);
  });
}

test('equal remainders are ordered by SHA-256 of period, member and product', (t) => {
  const products = ['a', 'b', 'c'].map((product) => ({ product, days: 1 }));
  const two = split({ member: 'm', netMinor: 4, products }).amountsMinor; // a pot of 2
  const ranks = ['a', 'b', 'c'].map((product) => sha256Hex(`2026-10|m|${product}`));
  const last = ranks.indexOf(ranks.toSorted()[2]!);
  t.deepEqual(
    two,
    [0, 1, 2].map((index) => (index === last ? 0 : 1)),
  );
});

test('hashes are asked for only where remainders are equal', (t) => {
  const rankOf = () => t.fail('no tie to decide') as never;
  t.deepEqual(splitByLargestRemainder(699, { weights: [20, 6, 1], rankOf }), [518, 155, 26]);
  t.deepEqual(splitByLargestRemainder(4, { weights: [1, 1], rankOf }), [2, 2]);
  t.throws(() => splitByLargestRemainder(4, { weights: [0], rankOf }), { instanceOf: RangeError });
});

test('the pot of a Member without a qualified day is unattributed', (t) => {
  t.like(split(monthOf([])), { potMinor: 699, platformMinor: 300, unattributedMinor: 699 });
});

test('a rule is found by its id, and by no other', (t) => {
  t.is(findPoolRule('user-centric-1'), POOL_RULE);
  t.is(findPoolRule('user-centric-2'), null);
});

const days = fc.integer({ min: 1, max: 31 });
const months = fc.record({
  member: fc.string(),
  netMinor: fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: 0, max: 999_999_999_999_999 }),
  ),
  products: fc.uniqueArray(fc.record({ product: fc.nat(200).map((id) => `product ${id}`), days }), {
    selector: ({ product }) => product,
    maxLength: 40,
  }),
});

test('property: each fee is split to the unit', (t) => {
  fc.assert(
    fc.property(months, (month) => {
      const { potMinor, platformMinor, unattributedMinor, amountsMinor } = split(month);
      t.is(platformMinor + potMinor, month.netMinor);
      t.is(sumOf(amountsMinor) + unattributedMinor, potMinor);
      t.true(amountsMinor.every((amount) => amount >= 0));
    }),
  );
});

test('property: no amount is a unit or more away from its exact part', (t) => {
  fc.assert(
    fc.property(months, (month) => {
      const { potMinor, totalDays, amountsMinor } = split(month);
      for (const [index, { days }] of month.products.entries()) {
        const exact = BigInt(potMinor) * BigInt(days);
        const away = BigInt(amountsMinor[index]!) * BigInt(totalDays) - exact;
        t.true(away < BigInt(totalDays) && -away < BigInt(totalDays));
      }
    }),
  );
});

test("property: the order of a Member's products is irrelevant", (t) => {
  fc.assert(
    fc.property(months, fc.integer(), (month, seed) => {
      const shuffled = month.products.toSorted((one, other) =>
        sha256Hex(seed + one.product) < sha256Hex(seed + other.product) ? -1 : 1,
      );
      const amounts = byProduct(month);
      t.deepEqual(byProduct({ ...month, products: shuffled }), amounts);
    }),
  );
});

test("property: adding a day never lowers that product's amount", (t) => {
  fc.assert(
    fc.property(months, fc.nat(), (month, place) => {
      fc.pre(month.products.length > 0);
      const index = place % month.products.length;
      const more = month.products.map((use, at) =>
        at === index ? { ...use, days: use.days + 1 } : use,
      );
      const was = split(month).amountsMinor[index]!;
      t.true(split({ ...month, products: more }).amountsMinor[index]! >= was);
    }),
    { numRuns: 1_000 },
  );
});

test('property: the original and its corrections add up to the month as it is known now', (t) => {
  fc.assert(
    fc.property(fc.array(months, { minLength: 2, maxLength: 5 }), (states) => {
      const known = states.map((state) => ({ ...state, member: 'member' }));
      const [first, ...later] = known;
      const amounts = byProduct(first!);
      const sums = split(first!);
      let { platformMinor, unattributedMinor } = sums;
      let before = first!;
      for (const after of later) {
        const correction = correctMember({ member: 'member', before, after }, given);
        platformMinor += correction.platformMinor;
        unattributedMinor += correction.unattributedMinor;
        t.is(correction.feesMinor, after.netMinor - before.netMinor);
        for (const { product, amountMinor } of correction.products) {
          amounts[product] = (amounts[product] ?? 0) + amountMinor;
        }
        before = after;
      }
      const truth = split(before);
      t.deepEqual(withoutZeros(amounts), withoutZeros(byProduct(before)));
      t.is(platformMinor, truth.platformMinor);
      t.is(unattributedMinor, truth.unattributedMinor);
    }),
  );
});

test('a full refund takes back what each product got; excluded days go to the other products', (t) => {
  const before = monthOf([20, 6, 1]);
  const refunded = correctMember(
    { member: 'member', before, after: { ...before, netMinor: 0 } },
    given,
  );
  t.deepEqual(
    refunded.products.map(({ amountMinor, days }) => [amountMinor, days]),
    [
      [-518, 0],
      [-155, 0],
      [-26, 0],
    ],
  );
  t.like(refunded, { feesMinor: -999, platformMinor: -300, unattributedMinor: 0 });
  const after = { ...before, products: before.products.slice(1) };
  const excluded = correctMember({ member: 'member', before, after }, given);
  t.deepEqual(
    excluded.products.map(({ amountMinor, days }) => [amountMinor, days]),
    [
      [-518, -20],
      [444, 0],
      [74, 0],
    ],
  );
});

function byProduct(month: MemberMonth): Record<string, number> {
  const { amountsMinor } = split(month);
  return Object.fromEntries(
    month.products.map(({ product }, index) => [product, amountsMinor[index]!]),
  );
}

function withoutZeros(amounts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts)
      .filter(([, amount]) => amount !== 0)
      .toSorted(),
  );
}
