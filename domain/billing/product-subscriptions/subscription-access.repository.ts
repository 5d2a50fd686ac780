import type { AccessKey } from '../../entitlements/entitlement.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

/** The key of a subscription's access. */
export function accessOf({ productId, personId }: SubscriptionRow): AccessKey {
  return { productId, personId };
}

type Source = Pick<SubscriptionRow, 'productId' | 'personId' | 'purchaseId'>;

const GRANT = 'product_id = ? and person_id = ? and source = ?';

// The processor's period may have ended before its money arrived; null stays null.
const AFTER_START = `(select greatest(given, starts_at + interval '1 millisecond')
  from (values (?::timestamptz)) known (given) where given is not null)`;

/**
 * Call it inside changeAccess: sets the end of a running subscription's access; null while it
 * renews.
 */
export async function moveAccessEnd(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Date | null,
): Promise<void> {
  await rows(em, `update access_grant set ends_at = ${AFTER_START} where ${GRANT}`, [
    endsAt,
    productId,
    personId,
    purchaseId,
  ]);
}

/** The same for a subscription that is over: an earlier end stays. */
export async function endAccess(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Date,
): Promise<void> {
  await rows(
    em,
    `update access_grant set ends_at = least(ends_at, ${AFTER_START}) where ${GRANT}`,
    [endsAt, productId, personId, purchaseId],
  );
}
