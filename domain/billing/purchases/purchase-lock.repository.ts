import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';

/** Locks come after the subscription and the access of the person, and before the payments. */
export async function lockPurchase(em: EntityManager, id: string): Promise<PurchaseRow> {
  return em.findOneOrFail(Purchase, { id }, LOCK);
}
