import { createLineWriter, type CreateHash, type Signed } from '../snapshot/canonical.ts';
import { presentTerms } from '../snapshot/snapshot-header.ts';
import type { Band } from './bands.ts';
import type { PoolSums } from './balance.ts';
import type { CorrectedPeriod, CorrectionLine, ProductLine, Statement } from './pool-statement.ts';

const STATEMENT_FORMAT = 'gatehouse-pool-statement-1';

export type StatementFile = Signed & { text: string };

/**
 * The file of a statement: a first line with terms and the snapshot's hash, products by id,
 * corrections by month and product, the sums, and a last line with count and hash.
 */
export function writeStatement(statement: Statement, createHash: CreateHash): StatementFile {
  const { line, end } = createLineWriter(createHash);
  const { currency, snapshotSha256, products, corrections } = statement;
  const text = [
    line({
      ...presentTerms(statement),
      currency,
      format: STATEMENT_FORMAT,
      snapshot_sha256: snapshotSha256,
    }),
    ...products.map((product) => line(presentProduct(product))),
    ...corrections.flatMap(presentCorrections).map((correction) => line(correction)),
    line({
      ...presentSums(statement.sums),
      members: statement.members,
      members_without_days: statement.membersWithoutDays,
    }),
  ];
  const { text: last, ...signed } = end();
  return { ...signed, text: [...text, last].join('') };
}

function presentProduct({ bands, ...line }: ProductLine) {
  return { ...presentLine(line), bands: bands.map(presentBand) };
}

function presentLine({ product, amountMinor, members, qualifiedDays }: CorrectionLine) {
  return { amount_minor: amountMinor, members, product, qualified_days: qualifiedDays };
}

function presentBand(band: Band) {
  return {
    amount_minor: band.amountMinor,
    days_from: band.daysFrom,
    days_here: band.daysHere,
    days_in_all: band.daysInAll,
    days_to: band.daysTo,
    members: band.members,
    pots_minor: band.potsMinor,
  };
}

function presentCorrections({ terms, sums, lines }: CorrectedPeriod) {
  const corrected = { correction_of: terms.period };
  return [
    ...lines.map((line) => ({ ...corrected, ...presentLine(line) })),
    {
      ...corrected,
      ...presentSums(sums),
      pool_share_bps: String(terms.poolShareBps),
      rule: terms.rule,
    },
  ];
}

function presentSums(sums: PoolSums) {
  return {
    fees_minor: sums.feesMinor,
    platform_minor: sums.platformMinor,
    products_minor: sums.productsMinor,
    unattributed_minor: sums.unattributedMinor,
  };
}
