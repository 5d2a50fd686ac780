import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { KeyMode } from './api-key.repository.ts';

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
