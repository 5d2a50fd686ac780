import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/database.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';

/** Reads the row as it is after its lock is free. */
export const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Locks come after the subscription and the access of the person, and before the payments. */
export async function lockPurchase(em: EntityManager, id: string): Promise<PurchaseRow> {
  return em.findOneOrFail(Purchase, { id }, LOCK);
}
