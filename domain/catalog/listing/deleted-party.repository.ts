import { holdPerson } from '../../identity/account.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { holdProduct } from './listing.repository.ts';

export type DeletedParty = 'person_deleted' | 'product_removed';

/**
 * Null while the person and the product exist; both then stay until the transaction ends. Call it
 * after the rows of subscription, access and purchase are locked. Member has no product.
 */
export async function findDeletedParty(
  em: EntityManager,
  { personId, productId }: { personId: string; productId: string | null },
): Promise<DeletedParty | null> {
  if (!(await holdPerson(em, personId))) return 'person_deleted';
  if (productId === null || (await holdProduct(em, productId))) return null;
  return 'product_removed';
}
