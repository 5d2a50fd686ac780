// The rows that a snapshot is written of: Members of a month, and corrections of earlier months.
import { kysely } from '../../kysely.ts';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { readPoolInput, type PoolMemberMonth } from '../fees-and-days/member-months.repository.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { type Pseudonyms, nameUsed } from '../period/period-key.ts';
import { whileInputOpen } from './open-period.repository.ts';
import type { SnapshotCorrection } from '../snapshot/snapshot-writer.ts';
import type { PoolTerms } from '../split/pool-rule.ts';

type Period = { periodId: string; pseudonyms: Pseudonyms };

/** Keeps each Member of the month once: a Member who is kept already stays as the first call read. */
export async function keepMembers(
  database: Database,
  { periodId, pseudonyms }: Period,
): Promise<void> {
  for await (const batch of readPoolInput(database, readPeriodId(periodId))) {
    await whileInputOpen(database, {
      periodId,
      work: (em) => insertMembers(em, { periodId, pseudonyms, batch }),
    });
  }
}

async function insertMembers(
  em: EntityManager,
  { periodId, pseudonyms, batch }: Period & { batch: PoolMemberMonth[] },
): Promise<void> {
  const members = batch.map(({ personId, netMinor, products }) => ({
    periodId,
    member: Buffer.from(pseudonyms.ofMember(personId), 'hex'),
    netMinor,
    productIds: products.map(({ productId }) => productId),
    days: products.map(({ days }) => days),
  }));
  await kysely(em)
    .insertInto('poolMember')
    .values(members)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export type KeptMember = {
  member: Buffer;
  netMinor: number;
  productIds: string[];
  days: number[];
};

const MEMBERS_A_PAGE = 250;

/** Pages of a period's Members, in the order of their ids in the snapshot. */
export async function* readKeptMembers(
  em: EntityManager,
  periodId: string,
): AsyncGenerator<KeptMember[]> {
  let after: Buffer | null = Buffer.alloc(0);
  while (after !== null) {
    const page: KeptMember[] = await kysely(em)
      .selectFrom('poolMember')
      .select(['member', 'netMinor', 'productIds', 'days'])
      .where('periodId', '=', periodId)
      .where('member', '>', after)
      .orderBy('member')
      .limit(MEMBERS_A_PAGE)
      .$narrowType<{ member: Buffer }>()
      .execute();
    if (page.length > 0) yield page;
    after = page.length < MEMBERS_A_PAGE ? null : page.at(-1)!.member;
  }
}

export type CorrectedTerms = { id: string; encryptedKey: string; terms: PoolTerms };

/** The earlier months that a period corrects, in their order. */
export async function listCorrectedTerms(
  em: EntityManager,
  periodId: string,
): Promise<CorrectedTerms[]> {
  const periods = await kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'rule', 'poolShareBps', 'encryptedKey'])
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('poolCorrection')
        .select('correctedId')
        .distinct()
        .where('periodId', '=', periodId),
    )
    .orderBy('month')
    .execute();
  return periods.map(({ id, rule, poolShareBps, encryptedKey }) => ({
    id,
    encryptedKey: encryptedKey!,
    terms: { period: readPeriodId(id).month, rule, poolShareBps: poolShareBps! },
  }));
}

const CORRECTIONS_A_PAGE = 2_000;

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
    after = page.length < CORRECTIONS_A_PAGE ? null : page.at(-1)!.member;
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
    .limit(CORRECTIONS_A_PAGE)
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
