// The keys of periods: encrypted anew when the encryption key changes, erased after 24 months.
import { type EntityManager, now } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { reencryptPoolKey } from './period-key.ts';
import { addMonths, toDay } from '../../shared/instant.ts';
import { MONTHS_KEPT } from './period-calendar.ts';

/** `unopened`: the periods whose key none of our keys opens. */
export type ReencryptedPoolKeys = { reencrypted: number; unopened: string[] };

/** Encrypts the keys of periods anew that another key than the first encrypted; there are few. */
export async function reencryptPoolKeys(
  em: EntityManager,
  encryptor: Encryptor,
): Promise<ReencryptedPoolKeys> {
  const foreign = (await listEncrypted(em)).filter(
    ({ encryptedKey }) => keyIdOf(encryptedKey) !== encryptor.keyId,
  );
  const unopened: string[] = [];
  let reencrypted = 0;
  for (const { id, encryptedKey } of foreign) {
    const anew = reencryptPoolKey(encryptor, { id, encryptedKey });
    if (anew === null) unopened.push(id);
    else reencrypted += await replaceKey(em, { id, encryptedKey, anew });
  }
  return { reencrypted, unopened };
}

/** The number of periods' keys that each key encrypted, by the key's id. */
export async function countPoolKeysByKey(em: EntityManager): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { encryptedKey } of await listEncrypted(em)) {
    const keyId = keyIdOf(encryptedKey);
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return counts;
}

const keyIdOf = (encrypted: string) => encrypted.slice(0, encrypted.indexOf(':'));

function listEncrypted(em: EntityManager) {
  return kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'encryptedKey'])
    .where('encryptedKey', 'is not', null)
    .$narrowType<{ encryptedKey: string }>()
    .orderBy('id')
    .execute();
}

/** Zero when the key was erased in the meantime. */
async function replaceKey(
  em: EntityManager,
  { id, encryptedKey, anew }: { id: string; encryptedKey: string; anew: string },
): Promise<number> {
  const replaced = await kysely(em)
    .updateTable('poolPeriod')
    .set({ encryptedKey: anew })
    .where('id', '=', id)
    .where('encryptedKey', '=', encryptedKey)
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
    .set({ encryptedKey: null })
    .where('encryptedKey', 'is not', null)
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
          .where('poolPeriod.encryptedKey', 'is', null)
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
          .where('poolPeriod.encryptedKey', 'is', null)
          .limit(BATCH)
          .$asTuple('periodId', 'correctedId', 'member'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}
