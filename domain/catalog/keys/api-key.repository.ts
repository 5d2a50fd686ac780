import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, CLOCK, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, newCredential, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import { ApiKey, type KEY_MODES } from './api-key.entity.ts';

export type KeyMode = (typeof KEY_MODES)[number];
export type NewKey = { productId: string; mode: KeyMode; name: string };
/** The key itself exists here and on the page that shows it, and nowhere else. */
export type FreshKey = { keyId: string; key: string; mode: KeyMode };

const MOST_KEYS = 20;

/** A product has at most twenty working keys; two calls at once wait for each other. */
export async function createKey(
  em: EntityManager,
  wanted: NewKey,
): Promise<FreshKey | Refusal<'too_many'>> {
  return (await hasRoom(em, wanted.productId)) ? insertKey(em, wanted) : refuse('too_many');
}

/** Replaced keys count too. The product gets no other key until the transaction ends. */
async function hasRoom(em: EntityManager, productId: string): Promise<boolean> {
  await lockProduct(em, productId);
  const working = await workingKeys(em).select('id').where('productId', '=', productId).execute();
  return working.length < MOST_KEYS;
}

const workingKeys = (em: EntityManager) =>
  kysely(em)
    .selectFrom('apiKey')
    .where('revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', NOW)]));

/**
 * The old key keeps working for 48 hours. A key is replaced once: of two clicks one makes a new
 * key, the other finds nothing to replace.
 */
export async function rotateKey(
  em: EntityManager,
  { productId, keyId }: { productId: string; keyId: string },
): Promise<FreshKey | Refusal<'replaced' | 'too_many'>> {
  if (!(await hasRoom(em, productId))) return refuse('too_many');
  const replaced = await kysely(em)
    .updateTable('apiKey')
    .set({ expiresAt: fromNow('48 hours') })
    .where('id', '=', keyId)
    .where('productId', '=', productId)
    .where('expiresAt', 'is', null)
    .where('revokedAt', 'is', null)
    .returning(['mode', 'name'])
    .executeTakeFirst();
  return replaced ? insertKey(em, { productId, ...replaced }) : refuse('replaced');
}

/**
 * The key is refused from now on; false when the product has no such key, or it was revoked before.
 */
export async function revokeKey(
  em: EntityManager,
  { productId, keyId }: { productId: string; keyId: string },
): Promise<boolean> {
  const key = { id: keyId, productId, revokedAt: null };
  return (await em.nativeUpdate(ApiKey, key, { revokedAt: CLOCK })) === 1;
}

async function insertKey(em: EntityManager, { productId, mode, name }: NewKey): Promise<FreshKey> {
  const keyId = newUuid();
  const key = newCredential(`gk_${mode}_`);
  const keyHash = hashCredential(key);
  await kysely(em)
    .insertInto('apiKey')
    .values({ id: keyId, productId, keyHash, mode, name, lastFour: key.slice(-4) })
    .execute();
  return { keyId, key, mode };
}

export type KeyView = {
  keyId: string;
  productId: string;
  mode: KeyMode;
  name: string;
  lastFour: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Set when the key is replaced. */
  expiresAt: Date | null;
};

/** The working keys, the newest first, with their last four characters alone. */
export async function listKeys(em: EntityManager, productIds: string[]): Promise<KeyView[]> {
  return workingKeys(em)
    .select(['id as keyId', 'productId', 'mode', 'name', 'lastFour'])
    .select(['createdAt', 'lastUsedAt', 'expiresAt'])
    .where('productId', '=', anyOf(productIds))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
}
