import type { MemberChange } from '../split/correction.ts';
import type { MemberMonth, ProductDays } from '../split/pool-rule.ts';
import { createLineWriter, type CreateHash, type Signed } from './canonical.ts';
import { presentHeader, type SnapshotHeader } from './snapshot-header.ts';

/** A Member's change of an earlier month. Its ids are those of that month's snapshot. */
export type SnapshotCorrection = MemberChange & { period: string };

export type SnapshotWriter = {
  begin(): string;
  /** All corrections come before all Members, by month, then Member. */
  correction(change: SnapshotCorrection): string;
  /** Members come in the order of their ids. */
  member(month: MemberMonth): string;
  end(): Signed & { text: string };
};

/**
 * Writes a snapshot: each call returns the next lines. Members, and corrections, must come in the
 * order of their ids, so that the lines are in the order of their bytes; products are sorted here.
 */
export function createSnapshotWriter(
  header: SnapshotHeader,
  createHash: CreateHash,
): SnapshotWriter {
  const lines = createLineWriter(createHash);
  let last = '';
  const advance = (place: string) => {
    if (place <= last) throw new RangeError('the groups of a snapshot are not in order');
    last = place;
  };
  return {
    begin: () => lines.line(presentHeader(header)),
    correction({ period, member, before, after }) {
      advance(`c ${period} ${member}`);
      const shared = { correction_of: period, member };
      let text = lines.line({
        ...shared,
        net_minor_after: after.netMinor,
        net_minor_before: before.netMinor,
      });
      for (const product of productsOf(before.products, after.products)) {
        text += lines.line({
          ...shared,
          product,
          qualified_days_after: daysOf(after.products, product),
          qualified_days_before: daysOf(before.products, product),
        });
      }
      return text;
    },
    member({ member, netMinor, products }) {
      advance(`m ${member}`);
      let text = lines.line({ member, net_minor: netMinor });
      const sorted = products.toSorted((one, other) => (one.product < other.product ? -1 : 1));
      for (const { product, days } of sorted) {
        text += lines.line({ member, product, qualified_days: days });
      }
      return text;
    },
    end: lines.end,
  };
}

function productsOf(...lists: (readonly ProductDays[])[]): string[] {
  return [...new Set(lists.flat().map(({ product }) => product))].toSorted();
}

function daysOf(products: readonly ProductDays[], wanted: string): number {
  return products.find(({ product }) => product === wanted)?.days ?? 0;
}
