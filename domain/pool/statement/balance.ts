/** Money of one period, or the corrections of one earlier period, in minor units. */
export type PoolSums = {
  feesMinor: bigint;
  platformMinor: bigint;
  productsMinor: bigint;
  unattributedMinor: bigint;
};

/** A period whose parts are not its fees; nothing of it may be paid. */
export class PoolUnbalanced extends Error {
  override name = 'PoolUnbalanced';
}

/** Fees net of refunds = platform + products + unattributed, to the unit. */
export function assertBalanced(sums: PoolSums, of: { period: string; currency: string }): void {
  const { feesMinor, platformMinor, productsMinor, unattributedMinor } = sums;
  const differenceMinor = feesMinor - platformMinor - productsMinor - unattributedMinor;
  if (differenceMinor === 0n) return;
  throw new PoolUnbalanced(
    `${of.period} ${of.currency}: fees of ${feesMinor} are not platform ${platformMinor} + products ${productsMinor} + unattributed ${unattributedMinor}; ${differenceMinor} is left`,
  );
}
