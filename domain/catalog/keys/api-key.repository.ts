import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential, newCredential, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { KEY_MODES } from './api-key.entity.ts';

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
  await rows(em, 'select 1 from product where id = ? for update', [productId]);
  const working = await rows(
    em,
    `select 1 from api_key where product_id = ? and revoked_at is null
       and (expires_at is null or expires_at > gatehouse_now())`,
    [productId],
  );
  return working.length < MOST_KEYS;
}

/**
 * The old key keeps working for 48 hours. A key is replaced once: of two clicks one makes a new
 * key, the other finds nothing to replace.
 */
export async function rotateKey(
  em: EntityManager,
  { productId, keyId }: { productId: string; keyId: string },
): Promise<FreshKey | Refusal<'replaced' | 'too_many'>> {
  if (!(await hasRoom(em, productId))) return refuse('too_many');
  const [replaced] = await rows<{ mode: KeyMode; name: string }>(
    em,
    `update api_key set expires_at = gatehouse_now() + interval '48 hours'
     where id = ? and product_id = ? and expires_at is null and revoked_at is null
     returning mode, name`,
    [keyId, productId],
  );
  return replaced ? insertKey(em, { productId, ...replaced }) : refuse('replaced');
}

/**
 * The key is refused from now on; false when the product has no such key, or it was revoked before.
 */
export async function revokeKey(
  em: EntityManager,
  { productId, keyId }: { productId: string; keyId: string },
): Promise<boolean> {
  const revoked = await rows(
    em,
    `update api_key set revoked_at = gatehouse_now()
     where id = ? and product_id = ? and revoked_at is null returning 1`,
    [keyId, productId],
  );
  return revoked.length === 1;
}

async function insertKey(em: EntityManager, { productId, mode, name }: NewKey): Promise<FreshKey> {
  const keyId = newUuid();
  const key = newCredential(`gk_${mode}_`);
  await rows(
    em,
    `insert into api_key (id, product_id, key_hash, mode, name, last_four) values (?, ?, ?, ?, ?, ?)`,
    [keyId, productId, hashCredential(key), mode, name, key.slice(-4)],
  );
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

type KeyRow = Omit<KeyView, 'createdAt' | 'lastUsedAt' | 'expiresAt'> &
  Record<'createdAt' | 'lastUsedAt' | 'expiresAt', string | null>;

/** The working keys, the newest first, with their last four characters alone. */
export async function listKeys(em: EntityManager, productIds: string[]): Promise<KeyView[]> {
  const found = await rows<KeyRow>(
    em,
    `select id as "keyId", product_id as "productId", mode, name, last_four as "lastFour",
       created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
     from api_key
     where product_id = any(?::uuid[]) and revoked_at is null
       and (expires_at is null or expires_at > gatehouse_now())
     order by created_at desc, id desc limit 200`,
    [toArrayParameter(productIds)],
  );
  return found.map((key) => ({
    ...key,
    createdAt: new Date(key.createdAt!),
    lastUsedAt: key.lastUsedAt === null ? null : new Date(key.lastUsedAt),
    expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt),
  }));
}
