import { now, type EntityManager } from '../../../platform/database/database.ts';
import { addMonths } from '../../billing/ledger/statement.ts';
import { toDay } from '../../shared/instant.ts';
import { kysely } from '../../kysely.ts';
import { MONTHS_KEPT } from './period-calendar.ts';

const BATCH = 5_000;

/**
 * Erases the keys of months that ended `MONTHS_KEPT` months ago, and one batch of what only they
 * could tell: true when more may wait. From then on nobody can tell who stands in these snapshots.
 */
export async function erasePoolKeys(em: EntityManager): Promise<boolean> {
  const endedBefore = addMonths(await now(em), -MONTHS_KEPT);
  await kysely(em)
    .updateTable('poolPeriod')
    .set({ sealedKey: null })
    .where('sealedKey', 'is not', null)
    .where('month', '<', toDay(endedBefore))
    .execute();
  return (await removeMembers(em)) || (await removeCorrections(em));
}

async function removeMembers(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('poolMember')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('periodId', 'member'),
        'in',
        selectFrom('poolPeriod')
          .innerJoin('poolMember', 'poolMember.periodId', 'poolPeriod.id')
          .select(['poolMember.periodId', 'poolMember.member'])
          .where('poolPeriod.sealedKey', 'is', null)
          .limit(BATCH)
          .$asTuple('periodId', 'member'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}

/** A correction names its Member by the key of the month that it corrects. */
async function removeCorrections(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('poolCorrection')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('periodId', 'correctedId', 'member'),
        'in',
        selectFrom('poolPeriod')
          .innerJoin('poolCorrection', 'poolCorrection.correctedId', 'poolPeriod.id')
          .select(['poolCorrection.periodId', 'poolCorrection.correctedId'])
          .select('poolCorrection.member')
          .where('poolPeriod.sealedKey', 'is', null)
          .limit(BATCH)
          .$asTuple('periodId', 'correctedId', 'member'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}
