import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { readPeriodId } from '../input/pool-month.ts';
import { nameUsed, type Pseudonyms } from '../period/period-key.ts';
import type { SnapshotCorrection } from '../snapshot/snapshot-writer.ts';
import type { PoolTerms } from '../split/pool-rule.ts';

export type CorrectedTerms = { id: string; sealedKey: string; terms: PoolTerms };

/** The earlier months that a period corrects, in their order. */
export async function listCorrectedTerms(
  em: EntityManager,
  periodId: string,
): Promise<CorrectedTerms[]> {
  const periods = await kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'rule', 'poolShareBps', 'sealedKey'])
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('poolCorrection')
        .select('correctedId')
        .distinct()
        .where('periodId', '=', periodId),
    )
    .orderBy('month')
    .execute();
  return periods.map(({ id, rule, poolShareBps, sealedKey }) => ({
    id,
    sealedKey: sealedKey!,
    terms: { period: readPeriodId(id).month, rule, poolShareBps: poolShareBps! },
  }));
}

const PAGE = 2_000;

/** Pages of a period's corrections of one month, in the order of that month's Members. */
export async function* readCorrections(
  em: EntityManager,
  {
    periodId,
    corrected: { id, terms },
    pseudonyms,
  }: { periodId: string; corrected: CorrectedTerms; pseudonyms: Pseudonyms },
): AsyncGenerator<SnapshotCorrection[]> {
  let after: Buffer | null = Buffer.alloc(0);
  while (after !== null) {
    const page = await listPage(em, { periodId, correctedId: id, after });
    if (page.length > 0) yield page.map((row) => toCorrection(row, { ...terms, pseudonyms }));
    after = page.length < PAGE ? null : page.at(-1)!.member;
  }
}

type Place = { periodId: string; correctedId: string; after: Buffer };

function listPage(em: EntityManager, { periodId, correctedId, after }: Place) {
  return kysely(em)
    .selectFrom('poolCorrection')
    .select(['member', 'netMinorBefore', 'netMinorAfter', 'productIds', 'daysBefore', 'daysAfter'])
    .where('periodId', '=', periodId)
    .where('correctedId', '=', correctedId)
    .where('member', '>', after)
    .orderBy('member')
    .limit(PAGE)
    .$narrowType<{ member: Buffer }>()
    .execute();
}

type Row = Awaited<ReturnType<typeof listPage>>[number];

function toCorrection(
  { member, productIds, ...row }: Row,
  { period, pseudonyms }: PoolTerms & { pseudonyms: Pseudonyms },
): SnapshotCorrection {
  const used = (days: number[]) => nameUsed(pseudonyms, { productIds, days });
  return {
    period,
    member: member.toString('hex'),
    before: { netMinor: row.netMinorBefore, products: used(row.daysBefore) },
    after: { netMinor: row.netMinorAfter, products: used(row.daysAfter) },
  };
}
