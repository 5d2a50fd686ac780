import { rows, type EntityManager } from '../platform/database.ts';
import type { KeyMode } from './api-key.store.ts';

export type KeyView = {
  keyId: string;
  mode: KeyMode;
  name: string;
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  /** Set once it was replaced. */
  expiresAt: string | null;
};

/** The keys that work, the newest first; of each no more than its last four characters. */
export async function listKeys(em: EntityManager, productId: string): Promise<KeyView[]> {
  return rows(
    em,
    `select id as "keyId", mode, name, last_four as "lastFour", created_at as "createdAt",
       last_used_at as "lastUsedAt", expires_at as "expiresAt"
     from api_key
     where product_id = ? and revoked_at is null
       and (expires_at is null or expires_at > gatehouse_now())
     order by created_at desc, id desc`,
    [productId],
  );
}
