import type { Pseudonyms } from '../../../domain/pool/period/period-key.ts';
import type { CorrectionLine } from '../../../domain/pool/statement/pool-statement.ts';
import { computeStatement } from '../../../domain/pool/statement/compute-statement.ts';
import { writeStatement } from '../../../domain/pool/statement/statement-file.ts';
import type { PoolTerms } from '../../../domain/pool/split/pool-rule.ts';
import { createSha256 } from '../../../domain/shared/sha256.ts';
import { HASHING, writeSnapshot } from './snapshots.ts';

/** What a Member paid, and the days by product. */
type Fee = { netMinor: number; days: Record<string, number> };

export type Paid = Fee & { personId: string };

export type Corrected = { of: string; personId: string; before: Fee; after: Fee };

/** A month by its name, with the ids of its snapshot. */
export type KeyedMonth = { key: Pseudonyms; terms: PoolTerms };

type Given = {
  period: KeyedMonth;
  currency: string;
  members: readonly Paid[];
  corrections: readonly Corrected[];
  monthOf: (name: string) => KeyedMonth;
};

/** The statement of a month by the real snapshot and computation, its lines with real products. */
export async function computeMonth({ period, currency, members, corrections, monthOf }: Given) {
  const corrected = [...new Set(corrections.map(({ of }) => of))].toSorted();
  const header = { ...period.terms, currency };
  const snapshot = writeSnapshot({
    header: { ...header, correctedPeriods: corrected.map((name) => monthOf(name).terms) },
    members: members.map((paid) => nameFee(period, paid)),
    corrections: corrections.map(({ of, personId, before, after }) => {
      const was = nameFee(monthOf(of), { personId, ...before });
      const is = nameFee(monthOf(of), { personId, ...after });
      return { period: of, member: was.member, before: was, after: is };
    }),
  });
  const statement = await computeStatement([snapshot], HASHING);
  const used = [...members, ...corrections.flatMap(({ before, after }) => [before, after])];
  const ids = [...new Set(used.flatMap(({ days }) => Object.keys(days)))];
  const toLine = <Line extends CorrectionLine>({ key, terms }: KeyedMonth, line: Line) => {
    const productId = ids.find((id) => key.ofProduct(id) === line.product)!;
    return { ...line, productId, month: terms.period };
  };
  return {
    statement,
    statementSha256: writeStatement(statement, createSha256).sha256,
    lines: [
      ...statement.products.map((line) => toLine(period, line)),
      ...statement.corrections.flatMap(({ terms, lines }) =>
        lines.map((line) => toLine(monthOf(terms.period), { ...line, bands: [] })),
      ),
    ],
  };
}

function nameFee({ key }: KeyedMonth, { personId, netMinor, days }: Paid) {
  const products = Object.entries(days).map(([id, count]) => ({
    product: key.ofProduct(id),
    days: count,
  }));
  return { member: key.ofMember(personId), netMinor, products };
}
