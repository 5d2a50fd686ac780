import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, CLOCK, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, newCredential, newUuid } from '../../shared/ids.ts';
import { ApiKey, type KEY_MODES } from './api-key.entity.ts';

export type KeyMode = (typeof KEY_MODES)[number];
/** A key within its product: a key of another product is not found. */
export type KeyReference = { productId: string; keyId: string };
export type NewKey = { productId: string; mode: KeyMode; name: string };
/** The key itself exists here and on the page that shows it, and nowhere else. */
export type FreshKey = { keyId: string; key: string; mode: KeyMode };

export async function countWorkingKeys(em: EntityManager, productId: string): Promise<number> {
  const working = await workingKeys(em).select('id').where('productId', '=', productId).execute();
  return working.length;
}

/** Finds the mode of a working key; it never changes. */
export async function findKeyMode(
  em: EntityManager,
  { productId, keyId }: KeyReference,
): Promise<KeyMode | null> {
  const found = await workingKeys(em)
    .select('mode')
    .where('productId', '=', productId)
    .where('id', '=', keyId)
    .executeTakeFirst();
  return found?.mode ?? null;
}

const workingKeys = (em: EntityManager) =>
  kysely(em)
    .selectFrom('apiKey')
    .where('revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', NOW)]));

/**
 * Ends a key that is replaced after the overlap. A key is replaced once: of two clicks one finds
 * nothing to replace.
 */
export async function expireReplacedKey(
  em: EntityManager,
  { productId, keyId, overlap }: KeyReference & { overlap: string },
): Promise<{ mode: KeyMode; name: string } | null> {
  const replaced = await kysely(em)
    .updateTable('apiKey')
    .set({ expiresAt: fromNow(overlap) })
    .where('id', '=', keyId)
    .where('productId', '=', productId)
    .where('expiresAt', 'is', null)
    .where('revokedAt', 'is', null)
    .returning(['mode', 'name'])
    .executeTakeFirst();
  return replaced ?? null;
}

/** False when the product has no such key, or it was revoked before. */
export async function setRevoked(
  em: EntityManager,
  { productId, keyId }: KeyReference,
): Promise<boolean> {
  const key = { id: keyId, productId, revokedAt: null };
  return (await em.nativeUpdate(ApiKey, key, { revokedAt: CLOCK })) === 1;
}

export async function insertKey(
  em: EntityManager,
  { productId, mode, name }: NewKey,
): Promise<FreshKey> {
  const keyId = newUuid();
  const key = newCredential(`gk_${mode}_`);
  const keyHash = hashCredential(key);
  await kysely(em)
    .insertInto('apiKey')
    .values({ id: keyId, productId, keyHash, mode, name, lastFour: key.slice(-4) })
    .execute();
  return { keyId, key, mode };
}

/**
 * Lists the working keys, the newest first, with their last four characters alone. One that is
 * replaced has an end.
 */
export async function listKeys(em: EntityManager, productIds: string[]) {
  return workingKeys(em)
    .select(['id as keyId', 'productId', 'mode', 'name', 'lastFour'])
    .select(['createdAt', 'lastUsedAt', 'expiresAt'])
    .where('productId', '=', anyOf(productIds))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
}

export type KeyView = Awaited<ReturnType<typeof listKeys>>[number];
