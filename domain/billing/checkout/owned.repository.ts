import { rows, type EntityManager } from '../../../platform/database/database.ts';

type Key = { personId: string; productId: string };

/** In SQL, of a purchase `p`: it gives its product for good, or its subscription goes on. */
const IS_RUNNING = `p.status = 'cleared' and not exists (
  select from subscription s where s.purchase_id = p.id and s.status = 'ended')`;

/** Bought, about to be, or subscribed to: nobody is asked to pay for it twice. */
export async function isOwned(em: EntityManager, { personId, productId }: Key): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from purchase p where p.person_id = ? and p.product_id = ?
       and (p.status = 'clearing' or ${IS_RUNNING}) limit 1`,
    [personId, productId],
  );
  return found.length > 0;
}

/** Under the lock of the person's access to the product: another purchase has cleared for it. */
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
