import { rows, type EntityManager } from '../../platform/database.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

type Source = Pick<SubscriptionRow, 'productId' | 'personId' | 'purchaseId'>;

const GRANT = 'product_id = ? and person_id = ? and source = ?';

/** Inside changeAccess: until when a subscription that goes on gives access; null while it renews. */
export async function moveAccessEnd(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Date | null,
): Promise<void> {
  await rows(em, `update access_grant set ends_at = ? where ${GRANT}`, [
    endsAt,
    productId,
    personId,
    purchaseId,
  ]);
}

/** The same of one that is over: what has ended before ends no later for it. */
export async function endAccess(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Date,
): Promise<void> {
  await rows(em, `update access_grant set ends_at = least(ends_at, ?) where ${GRANT}`, [
    endsAt,
    productId,
    personId,
    purchaseId,
  ]);
}
