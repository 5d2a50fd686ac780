// The sealed keys of periods: sealed anew when the sealing key changes, erased after 24 months.
import { type EntityManager, now } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Sealer } from '../../shared/secrets.ts';
import { resealPoolKey } from './period-key.ts';
import { addMonths } from '../../billing/ledger/statement.ts';
import { toDay } from '../../shared/instant.ts';
import { MONTHS_KEPT } from './period-calendar.ts';

/** `unopened`: the periods whose key none of our keys opens. */
export type ResealedPoolKeys = { resealed: number; unopened: string[] };

/** Seals the keys of periods anew that another key than the first sealed; there are few. */
export async function resealPoolKeys(em: EntityManager, sealer: Sealer): Promise<ResealedPoolKeys> {
  const foreign = (await listSealed(em)).filter(
    ({ sealedKey }) => keyIdOf(sealedKey) !== sealer.keyId,
  );
  const unopened: string[] = [];
  let resealed = 0;
  for (const { id, sealedKey } of foreign) {
    const anew = resealPoolKey(sealer, { id, sealedKey });
    if (anew === null) unopened.push(id);
    else resealed += await replaceKey(em, { id, sealedKey, anew });
  }
  return { resealed, unopened };
}

/** The number of periods' keys that each key sealed, by the key's id. */
export async function countPoolKeysByKey(em: EntityManager): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { sealedKey } of await listSealed(em)) {
    const keyId = keyIdOf(sealedKey);
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return counts;
}

const keyIdOf = (sealed: string) => sealed.slice(0, sealed.indexOf(':'));

function listSealed(em: EntityManager) {
  return kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'sealedKey'])
    .where('sealedKey', 'is not', null)
    .$narrowType<{ sealedKey: string }>()
    .orderBy('id')
    .execute();
}

/** Zero when the key was erased in the meantime. */
async function replaceKey(
  em: EntityManager,
  { id, sealedKey, anew }: { id: string; sealedKey: string; anew: string },
): Promise<number> {
  const replaced = await kysely(em)
    .updateTable('poolPeriod')
    .set({ sealedKey: anew })
    .where('id', '=', id)
    .where('sealedKey', '=', sealedKey)
    .executeTakeFirst();
  return Number(replaced.numUpdatedRows);
}

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
