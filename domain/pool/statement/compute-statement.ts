import { correctMember } from '../split/correction.ts';
import type { Sha256Hex } from '../split/largest-remainder.ts';
import { findPoolRule, type MemberMonth, type PoolTerms } from '../split/pool-rule.ts';
import type { CreateHash } from '../snapshot/canonical.ts';
import type { SnapshotHeader } from '../snapshot/snapshot-header.ts';
import { createSnapshotReader } from '../snapshot/snapshot-reader.ts';
import type { SnapshotCorrection } from '../snapshot/snapshot-writer.ts';
import { assertBalanced, type PoolSums } from './balance.ts';
import { createBands, type BandSums } from './bands.ts';
import { ExactSum } from './exact-sum.ts';
import type { CorrectedPeriod, Statement } from './pool-statement.ts';

export type Hashing = { sha256: Sha256Hex; createHash: CreateHash };

/**
 * Computes a period from its snapshot, part by part, as text with one character a byte (latin1). Keeps
 * the sums of each product and one Member at a time. Throws a SnapshotError where the snapshot is
 * damaged, and PoolUnbalanced where the parts are not the fees.
 */
export async function computeStatement(
  snapshot: AsyncIterable<string> | Iterable<string>,
  { sha256, createHash }: Hashing,
): Promise<Statement> {
  const computation = createComputation(sha256);
  const reader = createSnapshotReader(computation, createHash);
  for await (const part of snapshot) reader.push(part);
  const { sha256: snapshotSha256 } = reader.end();
  return { ...computation.finish(), snapshotSha256 };
}

/** The reader hands on the header first. */
function createComputation(sha256: Sha256Hex) {
  let period: ReturnType<typeof createPeriod> | null = null;
  return {
    header: (header: SnapshotHeader) => void (period = createPeriod(header, sha256)),
    correction: (change: SnapshotCorrection) => period!.correct(change),
    member: (member: MemberMonth) => period!.add(member),
    finish: () => period!.finish(),
  };
}

type Sums = Record<'fees' | 'platform' | 'unattributed', ExactSum>;
type ProductSums = { amount: ExactSum; members: number; days: number };

const newSums = (): Sums => ({
  fees: new ExactSum(),
  platform: new ExactSum(),
  unattributed: new ExactSum(),
});

/** Adds Members up, in any order; corrections must be of the header's periods. */
export function createPeriod(header: SnapshotHeader, sha256: Sha256Hex) {
  const { correctedPeriods, ...terms } = header;
  const given = { terms, sha256 };
  const rule = ruleOf(terms);
  const sums = newSums();
  const products = new Map<string, ProductSums & { bands: BandSums }>();
  const corrections = new Map(
    correctedPeriods.map((corrected) => [corrected.period, createCorrections(corrected, sha256)]),
  );
  let members = 0;
  let membersWithoutDays = 0;

  return {
    add(member: MemberMonth): void {
      const split = rule.splitMember(member, given);
      const { potMinor, totalDays } = split;
      members += 1;
      if (totalDays === 0) membersWithoutDays += 1;
      sums.fees.add(member.netMinor);
      sums.platform.add(split.platformMinor);
      sums.unattributed.add(split.unattributedMinor);
      for (let index = 0; index < member.products.length; index += 1) {
        const { product, days } = member.products[index]!;
        const amountMinor = split.amountsMinor[index]!;
        const found = products.get(product) ?? enter(product);
        found.amount.add(amountMinor);
        found.members += 1;
        found.days += days;
        found.bands.add({ days, daysInAll: totalDays, potMinor, amountMinor });
      }
    },
    correct: (change: SnapshotCorrection) => corrections.get(change.period)!.add(change),
    finish(): Omit<Statement, 'snapshotSha256'> {
      const lines = inOrder(products).map(([product, { amount, members, days, bands }]) => ({
        product,
        amountMinor: amount.value,
        members,
        qualifiedDays: days,
        bands: bands.finish(),
      }));
      return {
        ...terms,
        products: lines,
        corrections: [...corrections.values()].map(({ finish }) => finish(header.currency)),
        sums: balance(sums, { lines, of: header }),
        members,
        membersWithoutDays,
      };
    },
  };

  function enter(product: string) {
    const entry = { amount: new ExactSum(), members: 0, days: 0, bands: createBands() };
    products.set(product, entry);
    return entry;
  }
}

function createCorrections(terms: PoolTerms, sha256: Sha256Hex) {
  const rule = ruleOf(terms);
  const sums = newSums();
  const products = new Map<string, ProductSums>();
  return {
    add(change: SnapshotCorrection): void {
      const correction = correctMember(change, { rule, terms, sha256 });
      sums.fees.add(correction.feesMinor);
      sums.platform.add(correction.platformMinor);
      sums.unattributed.add(correction.unattributedMinor);
      for (const { product, amountMinor, days } of correction.products) {
        if (amountMinor === 0 && days === 0) continue;
        const found = products.get(product) ?? { amount: new ExactSum(), members: 0, days: 0 };
        found.amount.add(amountMinor);
        found.members += 1;
        found.days += days;
        products.set(product, found);
      }
    },
    finish(currency: string): CorrectedPeriod {
      const lines = inOrder(products).map(([product, { amount, members, days }]) => ({
        product,
        amountMinor: amount.value,
        members,
        qualifiedDays: days,
      }));
      const of = { period: terms.period, currency };
      return { terms, lines, sums: balance(sums, { lines, of }) };
    },
  };
}

function balance(
  { fees, platform, unattributed }: Sums,
  given: { lines: readonly { amountMinor: bigint }[]; of: { period: string; currency: string } },
): PoolSums {
  const sums = {
    feesMinor: fees.value,
    platformMinor: platform.value,
    productsMinor: given.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    unattributedMinor: unattributed.value,
  };
  assertBalanced(sums, given.of);
  return sums;
}

function inOrder<Value>(products: ReadonlyMap<string, Value>): [string, Value][] {
  return [...products].sort(([one], [other]) => (one < other ? -1 : 1));
}

function ruleOf({ rule }: PoolTerms) {
  const found = findPoolRule(rule);
  if (!found) throw new Error(`the rule "${rule}" is unknown`);
  return found;
}
