import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/database.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';

/** As the row is once whoever holds it has let it go. */
export const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** After the rows of the person's subscription and access, before those of its payments. */
export async function lockPurchase(em: EntityManager, id: string): Promise<PurchaseRow> {
  return em.findOneOrFail(Purchase, { id }, LOCK);
}
