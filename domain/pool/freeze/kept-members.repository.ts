import { kysely } from '../../kysely.ts';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { readPoolInput, type PoolMemberMonth } from '../input/pool-input.repository.ts';
import { readPeriodId } from '../input/pool-month.ts';
import type { Pseudonyms } from '../period/period-key.ts';
import { whileInputOpen } from './open-period.repository.ts';

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

const PAGE = 250;

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
      .limit(PAGE)
      .$narrowType<{ member: Buffer }>()
      .execute();
    if (page.length > 0) yield page;
    after = page.length < PAGE ? null : page.at(-1)!.member;
  }
}
