import test from 'ava';
import fc from 'fast-check';
import {
  decideCorrection,
  type MonthCorrection,
} from '../../../../domain/pool/month-close/decide-correction.ts';
import { correctMember } from '../../../../domain/pool/split/correction.ts';
import { POOL_RULE, type MemberMonth } from '../../../../domain/pool/split/pool-rule.ts';
import { sha256Hex } from '../../../../domain/shared/sha256.ts';
import { CORRECTED } from '../../../support/pool/snapshots.ts';

const PRODUCTS = ['a', 'b', 'c', 'd'];
const GIVEN = { rule: POOL_RULE, terms: CORRECTED, sha256: sha256Hex };
const MEMBER = sha256Hex('member');

const fee = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 10 ** 12 }));
const frozenMonth = fc
  .uniqueArray(
    fc.record({ id: fc.constantFrom(...PRODUCTS), days: fc.integer({ min: 1, max: 31 }) }),
    { selector: ({ id }) => id },
  )
  .chain((products) =>
    fc.record({
      netMinor: fee,
      productIds: fc.constant(products.map(({ id }) => id)),
      days: fc.constant(products.map(({ days }) => days)),
    }),
  );
/** What is found at each later freeze: the fee, and one more product that is excluded or none. */
const laterFinds = fc.array(
  fc.record({ netMinor: fee, excluded: fc.option(fc.constantFrom(...PRODUCTS)) }),
  { maxLength: 6 },
);

type Amounts = Record<string, number>;

function amountsOf(month: Omit<MemberMonth, 'member'>): Amounts {
  const { amountsMinor, platformMinor, unattributedMinor } = POOL_RULE.splitMember(
    { member: MEMBER, ...month },
    GIVEN,
  );
  const products = month.products.map(({ product }, place) => [product, amountsMinor[place]!]);
  return { ...Object.fromEntries(products), platform: platformMinor, nobody: unattributedMinor };
}

function add(sums: Amounts, more: Amounts): Amounts {
  const names = new Set([...Object.keys(sums), ...Object.keys(more)]);
  return Object.fromEntries(
    [...names].map((name) => [name, (sums[name] ?? 0) + (more[name] ?? 0)]),
  );
}

function differencesOf(change: MonthCorrection): Amounts {
  const used = (days: number[]) =>
    change.productIds
      .map((product, place) => ({ product, days: days[place]! }))
      .filter(({ days: count }) => count > 0);
  const corrected = correctMember(
    {
      member: MEMBER,
      before: { netMinor: change.netMinorBefore, products: used(change.daysBefore) },
      after: { netMinor: change.netMinorAfter, products: used(change.daysAfter) },
    },
    GIVEN,
  );
  const products = corrected.products.map(({ product, amountMinor }) => [product, amountMinor]);
  return {
    ...Object.fromEntries(products),
    platform: corrected.platformMinor,
    nobody: corrected.unattributedMinor,
  };
}

const withoutZeros = (amounts: Amounts) =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0));

test('property: the frozen month and all its corrections add up to the month as it is known now', (t) => {
  fc.assert(
    fc.property(fc.option(frozenMonth), laterFinds, (frozen, finds) => {
      const toMonth = (netMinor: number, excluded: ReadonlySet<string>) => ({
        netMinor,
        products: (frozen?.productIds ?? [])
          .map((product, place) => ({ product, days: frozen!.days[place]! }))
          .filter(({ product }) => !excluded.has(product)),
      });
      let sums = frozen ? amountsOf(toMonth(frozen.netMinor, new Set())) : {};
      let last: MonthCorrection | null = null;
      let known = frozen?.netMinor ?? 0;
      const excluded = new Set<string>();
      for (const find of finds) {
        if (find.excluded) excluded.add(find.excluded);
        known = find.netMinor;
        const change = decideCorrection({
          frozen,
          last,
          netMinor: known,
          isExcluded: (id) => excluded.has(id),
        });
        if (change) sums = add(sums, differencesOf(change));
        last = change ?? last;
        t.deepEqual(withoutZeros(sums), withoutZeros(amountsOf(toMonth(known, excluded))));
      }
    }),
  );
});

test('a month that did not change has no correction', (t) => {
  const frozen = { netMinor: 999, productIds: ['a'], days: [3] };
  const unchanged = { frozen, last: null, netMinor: 999, isExcluded: () => false };
  t.is(decideCorrection(unchanged), null);
  const change = decideCorrection({ ...unchanged, netMinor: 0 });
  t.deepEqual(change, {
    netMinorBefore: 999,
    netMinorAfter: 0,
    productIds: ['a'],
    daysBefore: [3],
    daysAfter: [3],
  });
  t.is(decideCorrection({ ...unchanged, netMinor: 0, last: change }), null);
  t.is(decideCorrection({ ...unchanged, frozen: null, netMinor: 0 }), null);
});
