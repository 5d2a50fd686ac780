import type { Band } from './bands.ts';
import type { PoolSums } from './balance.ts';
import type { PoolTerms } from '../split/pool-rule.ts';
import type { SnapshotHeader } from '../snapshot/snapshot-header.ts';

/** What one product gets of the month. Its id is that of the snapshot. */
export type ProductLine = CorrectionLine & {
  /** None where fewer than ten Members used the product. */
  bands: readonly Band[];
};

/** What an earlier month owes a product, or has paid it too much. Its id is that of that month. */
export type CorrectionLine = {
  product: string;
  amountMinor: bigint;
  members: number;
  qualifiedDays: number;
};

export type CorrectedPeriod = {
  terms: PoolTerms;
  sums: PoolSums;
  lines: readonly CorrectionLine[];
};

/** The result of one period in one currency. */
export type Statement = Omit<SnapshotHeader, 'correctedPeriods'> & {
  snapshotSha256: string;
  products: readonly ProductLine[];
  corrections: readonly CorrectedPeriod[];
  /** The sums of the month alone; corrections have sums of their own. */
  sums: PoolSums;
  members: number;
  membersWithoutDays: number;
};
