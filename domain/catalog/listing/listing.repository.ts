import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { ProductView } from '../catalog.repository.ts';
import { hasBasePrice } from '../prices/price-list.repository.ts';
import { lockProduct } from './product-change.repository.ts';

type State = ProductView['state'];

/**
 * A product that is sold here needs a base price, which then stays: pricing waits for the same
 * lock.
 */
export async function listProduct(
  em: EntityManager,
  productId: string,
): Promise<{ before: State } | Refusal<'unchanged' | 'no_price'>> {
  const product = await lockProduct(em, productId);
  if (!product || product.state === 'listed') return refuse('unchanged');
  const isSoldHere = product.delivery === 'entitlement_api';
  if (isSoldHere && !(await hasBasePrice(em, productId))) return refuse('no_price');
  await rows(
    em,
    `update product set state = 'listed', listed_at = coalesce(listed_at, gatehouse_now())
     where id = ?`,
    [productId],
  );
  return { before: product.state };
}

/** Existing access stays. */
export async function unlistProduct(
  em: EntityManager,
  productId: string,
): Promise<{ before: State } | Refusal<'unchanged'>> {
  const unlisted = await rows(
    em,
    `update product set state = 'unlisted' where id = ? and state = 'listed' returning 1`,
    [productId],
  );
  return unlisted.length === 1 ? { before: 'listed' } : refuse('unchanged');
}

/**
 * Removal is final: keys, clients and tokens are refused and the page is gone. A background job
 * withdraws the access. A draft that was never listed frees its slugs.
 */
export async function removeProduct(
  em: EntityManager,
  productId: string,
): Promise<{ before: State } | Refusal<'unchanged'>> {
  const [removed] = await rows<{ before: State }>(
    em,
    `update product set state = 'removed', included_with_member = false
     where id = ? and state <> 'removed' returning old.state as before`,
    [productId],
  );
  if (removed?.before === 'draft') await releaseSlugs(em, productId);
  return removed ?? refuse('unchanged');
}

/** Keeps a product until the transaction ends; false when it is removed. */
export async function holdProduct(em: EntityManager, productId: string): Promise<boolean> {
  const kept = `select 1 from product where id = ? and state <> 'removed' for share`;
  return (await rows(em, kept, [productId])).length > 0;
}

async function releaseSlugs(em: EntityManager, productId: string): Promise<void> {
  await rows(em, 'delete from product_slug where product_id = ? and not is_current', [productId]);
  await rows(em, `update product_slug set slug = ? where product_id = ?`, [
    `gone-${productId.replaceAll('-', '')}`,
    productId,
  ]);
}
