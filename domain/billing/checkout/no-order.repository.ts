// Money that can be no order: its account is deleted, or its product removed. It goes back by itself.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { holdProduct } from '../../catalog/listing/listing.repository.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

export type NoOrder = 'person_deleted' | 'product_removed';

/**
 * Null while there is somebody to buy and something to be bought, which then stays so until the
 * transaction ends. Call it after the rows of subscription, access and purchase are locked. Member has no
 * product.
 */
export async function whyNoOrder(
  em: EntityManager,
  { personId, productId }: { personId: string; productId: string | null },
): Promise<NoOrder | null> {
  if (!(await holdPerson(em, personId))) return 'person_deleted';
  if (productId === null) return null;
  return (await holdProduct(em, productId)) ? null : 'product_removed';
}

/** Open until all of the money is back. */
export async function alertOfNoOrder(
  em: EntityManager,
  { subject, reason }: { subject: string; reason: NoOrder },
): Promise<void> {
  await raiseAlert(em, { kind: 'no_order', subject, detail: { reason } });
}

/** With each word of its return: withdrawn once nothing that was sent back is still here. */
export async function withdrawNoOrder(
  em: EntityManager,
  { column, subject }: { column: 'purchase_id' | 'membership_id'; subject: string },
): Promise<void> {
  const kept = await rows(
    em,
    `select 1 from payment y where y.${column} = ? and y.returned_minor < y.gross_minor
       and exists (select from refund r where r.payment_id = y.id and r.reason = 'not_as_agreed')`,
    [subject],
  );
  if (kept.length === 0) await withdrawAlerts(em, { kinds: ['no_order'], subject });
}
