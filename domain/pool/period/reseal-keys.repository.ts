import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Sealer } from '../../shared/secrets.ts';
import { resealPoolKey } from './period-key.ts';

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
