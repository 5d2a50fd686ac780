import { rows, type EntityManager } from '../../platform/database/database.ts';
import { changeAccess, type AccessKey } from './entitlement.repository.ts';

const AT_ONCE = 100;

/** SQL, of a grant: it gives access now or later. */
export const LIVE = 'withdrawn_at is null and (ends_at is null or ends_at > gatehouse_now())';

/** Withdraws all access of a person, product by product in the order of their ids. */
export async function withdrawAllAccess(em: EntityManager, personId: string): Promise<void> {
  for (;;) {
    const products = await rows<{ id: string }>(
      em,
      `select e.product_id as id from entitlement e
       where e.person_id = ? and exists (select 1 from access_grant
         where product_id = e.product_id and person_id = e.person_id and ${LIVE})
       order by e.product_id limit ?`,
      [personId, AT_ONCE],
    );
    for (const { id: productId } of products) await withdraw(em, { productId, personId });
    if (products.length < AT_ONCE) return;
  }
}

/** Withdraws every grant of one person to one product. */
export async function withdraw(em: EntityManager, key: AccessKey): Promise<void> {
  const write = async () => {
    await rows(
      em,
      `update access_grant set withdrawn_at = gatehouse_now()
       where product_id = ? and person_id = ? and ${LIVE}`,
      [key.productId, key.personId],
    );
    return {};
  };
  await changeAccess(em, key, { reason: 'withdrawn', write });
}
