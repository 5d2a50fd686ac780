import fc from 'fast-check';
import test from 'ava';
import {
  fewestWithLowerBound,
  isLowerBoundAbove,
  isLowerBoundAtLeast,
  mostWithinLowerBound,
} from '../../../domain/seal/wilson.ts';

const FORTY = { numerator: 2, denominator: 5 };
const FIVE = { numerator: 1, denominator: 20 };

/** In floats, as textbooks have it. */
function lowerBound(count: number, of: number): number {
  const [p, z] = [count / of, 1.96];
  const spread = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of));
  return (p + (z * z) / (2 * of) - spread) / (1 + (z * z) / of);
}

const NEEDED = [
  [25, 15],
  [100, 50],
  [400, 180],
] as const;

for (const [of, needed] of NEEDED) {
  test(`a lower bound of 40 % needs ${needed} of ${of}`, (t) => {
    t.true(isLowerBoundAtLeast({ count: needed, of }, FORTY));
    t.false(isLowerBoundAtLeast({ count: needed - 1, of }, FORTY));
    t.is(fewestWithLowerBound(of, FORTY), needed);
  });
}

const MOST = [
  [0, 0],
  [1, 0],
  [2, 0],
  [10, 1],
  [20, 2],
  [100, 9],
  [1_000, 63],
] as const;

for (const [of, most] of MOST) {
  test(`a lower bound of at most 5 % allows ${most} of ${of}`, (t) => {
    t.is(mostWithinLowerBound(of, FIVE), most);
    t.false(isLowerBoundAbove({ count: most, of }, FIVE));
    if (most < of) t.true(isLowerBoundAbove({ count: most + 1, of }, FIVE));
  });
}

test('of nothing and of very few no number is enough', (t) => {
  t.false(isLowerBoundAtLeast({ count: 0, of: 0 }, FORTY));
  t.is(fewestWithLowerBound(0, FORTY), null);
  t.is(fewestWithLowerBound(2, FORTY), null);
  t.is(fewestWithLowerBound(3, FORTY), 3);
});

test('a share of millions is compared exactly', (t) => {
  const of = 100_000_000;
  const needed = fewestWithLowerBound(of, FORTY)!;
  t.true(needed > of * 0.4 && needed < of * 0.4002);
  t.false(isLowerBoundAtLeast({ count: needed - 1, of }, FORTY));
});

test('whole numbers say what floats say, wherever floats are sure', (t) => {
  const proportion = fc
    .integer({ min: 1, max: 50_000 })
    .chain((of) => fc.record({ of: fc.constant(of), count: fc.integer({ min: 0, max: of }) }));
  fc.assert(
    fc.property(proportion, fc.constantFrom(FORTY, FIVE), ({ count, of }, fraction) => {
      const distance = lowerBound(count, of) - fraction.numerator / fraction.denominator;
      if (Math.abs(distance) < 1e-9) return;
      t.is(isLowerBoundAtLeast({ count, of }, fraction), distance > 0);
      t.is(isLowerBoundAbove({ count, of }, fraction), distance > 0);
    }),
  );
});

test('more of the same number never fall below a bound', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(), (of, given) => {
      const count = given % of;
      if (isLowerBoundAtLeast({ count, of }, FORTY))
        t.true(isLowerBoundAtLeast({ count: count + 1, of }, FORTY));
    }),
  );
});
