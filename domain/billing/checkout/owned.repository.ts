import { rows, type EntityManager } from '../../../platform/database/database.ts';

type Key = { personId: string; productId: string };

/** SQL, of a purchase `p`: it gives its product for good, or its subscription runs. */
const IS_RUNNING = `p.status = 'cleared' and not exists (
  select from subscription s where s.purchase_id = p.id and s.status = 'ended')`;

/** Bought, about to be bought, or subscribed to: nobody is asked to pay twice. */
export async function isOwned(em: EntityManager, { personId, productId }: Key): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from purchase p where p.person_id = ? and p.product_id = ?
       and (p.status = 'clearing' or ${IS_RUNNING}) limit 1`,
    [personId, productId],
  );
  return found.length > 0;
}

/** Call it under the lock of the person's access: another purchase cleared for the product. */
export async function isOwnedByAnother(
  em: EntityManager,
  { personId, productId, purchaseId }: Key & { purchaseId: string },
): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from purchase p where p.person_id = ? and p.product_id = ? and p.id <> ?
       and ${IS_RUNNING} limit 1`,
    [personId, productId, purchaseId],
  );
  return found.length > 0;
}
