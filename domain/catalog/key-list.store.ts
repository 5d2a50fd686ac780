import type { EntityManager } from '../platform/database.ts';
import { ApiKey } from './api-key.entity.ts';

export type KeyView = {
  productId: string;
  mode: 'live' | 'test';
  name: string;
  lastFour: string;
  expiresAt: Date | null;
};

/** The keys that were not revoked, the newest first; of each no more than its last four characters. */
export async function listKeys(em: EntityManager, productIds: string[]): Promise<KeyView[]> {
  return em.find(
    ApiKey,
    { productId: { $in: productIds }, revokedAt: null },
    {
      fields: ['productId', 'mode', 'name', 'lastFour', 'expiresAt'],
      orderBy: { createdAt: 'desc', id: 'desc' },
      limit: 200,
      disableIdentityMap: true,
    },
  );
}
