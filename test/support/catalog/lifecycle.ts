import { changeProductState } from '../../../domain/catalog/product-lifecycle.command.ts';
import type { LifecycleChange } from '../../../domain/catalog/product-lifecycle.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

/** Changes the state of a product as its owner does; as an operator, if a team has it. */
export async function changeState(
  em: EntityManager,
  productId: string,
  change: LifecycleChange,
): ReturnType<typeof changeProductState> {
  const [person] = await rows<{ id: string }>(
    em,
    `select coalesce(owner_person_id, (select min(id::text)::uuid from person)) as id
     from product where id = ?`,
    [productId],
  );
  // A product that a test has inserted has no slug yet.
  await rows(
    em,
    `insert into product_slug (slug, product_id) select 'p-' || replace(id::text, '-', ''), id
     from product where id = ? and not exists (
       select from product_slug s where s.product_id = product.id and s.is_current)`,
    [productId],
  );
  const by = { personId: person!.id, isOperator: true, isEmailVerified: true, ip: '192.0.2.1' };
  return changeProductState(em, { productId, change, by });
}
