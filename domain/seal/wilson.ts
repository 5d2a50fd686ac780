// The lower end of the 95 % Wilson interval of a proportion, compared with a fraction in whole numbers.

/** A part of a whole: `count` of `of`. */
export type Proportion = { count: number; of: number };

/** A fraction between 0 and 1: `numerator` / `denominator`. */
type Fraction = { numerator: number; denominator: number };

// 1.96 squared is 38,416 / 10,000.
const Z_SQUARED = 38_416n;
const SCALE = 10_000n;

/** True when the lower bound reaches the fraction. Nothing at all reaches nothing. */
export function isLowerBoundAtLeast(proportion: Proportion, fraction: Fraction): boolean {
  if (proportion.of === 0) return false;
  const { excess, distance, width } = compare(proportion, fraction);
  return excess >= 0n && distance >= width;
}

/** True when the lower bound is beyond the fraction. */
export function isLowerBoundAbove(proportion: Proportion, fraction: Fraction): boolean {
  const { excess, distance, width } = compare(proportion, fraction);
  return excess > 0n && distance > width;
}

/** The bound p of k of n solves (k/n - p)² = z² p (1 - p) / n; both sides times n² b² are whole numbers. */
function compare({ count, of }: Proportion, { numerator, denominator }: Fraction) {
  const [k, n, a, b] = [count, of, numerator, denominator].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const excess = k * b - n * a;
  return { excess, distance: excess * excess * SCALE, width: Z_SQUARED * n * a * (b - a) };
}

/** The fewest of `of` whose lower bound reaches the fraction; null when all of them are too few. */
export function fewestWithLowerBound(of: number, fraction: Fraction): number | null {
  const isEnough = (count: number) => isLowerBoundAtLeast({ count, of }, fraction);
  return isEnough(of) ? firstThat(isEnough, of) : null;
}

/** The most of `of` whose lower bound is not beyond the fraction. */
export function mostWithinLowerBound(of: number, fraction: Fraction): number {
  const isTooMany = (count: number) => isLowerBoundAbove({ count, of }, fraction);
  return isTooMany(of) ? firstThat(isTooMany, of) - 1 : of;
}

/** The first count from 0 up to `last`, for which it holds, that holds. */
function firstThat(holds: (count: number) => boolean, last: number): number {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
