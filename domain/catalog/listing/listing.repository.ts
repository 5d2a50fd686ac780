import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { ProductView } from '../product.repository.ts';
import { hasBasePrice } from '../prices/price-list.repository.ts';

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

type Switch = { productId: string; isIncluded: boolean };

/**
 * Every member may use an Included product from the commit on. Of two clicks one changes the
 * product; a product that was removed meanwhile stays excluded. A background job notifies the
 * activated members.
 */
export async function switchIncluded(
  em: EntityManager,
  { productId, isIncluded }: Switch,
): Promise<{ isIncluded: boolean } | Refusal<'unchanged'>> {
  const switched = await rows(
    em,
    `update product set included_with_member = ?
     where id = ? and included_with_member <> ? and state <> 'removed'
       and delivery = 'entitlement_api' returning 1`,
    [isIncluded, productId, isIncluded],
  );
  return switched.length === 1 ? { isIncluded } : refuse('unchanged');
}

export type ProductText = Pick<ProductView, 'name' | 'tagline' | 'delivery'>;

const MOST_SLUGS = 20;

/** Changes of a product wait here for each other; null when it is removed. */
export async function lockProduct(
  em: EntityManager,
  productId: string,
): Promise<Pick<ProductView, 'state' | 'delivery'> | null> {
  const [locked] = await rows<Pick<ProductView, 'state' | 'delivery'>>(
    em,
    `select state, delivery from product where id = ? and state <> 'removed' for no key update`,
    [productId],
  );
  return locked ?? null;
}

/** The product's delivery is promised to its keys, clients, endpoints, grants and members. */
const IS_INTEGRATED = `
  p.included_with_member
  or exists (select from api_key where product_id = p.id and revoked_at is null)
  or exists (select from oauth_client where product_id = p.id and deleted_at is null)
  or exists (select from webhook_endpoint where product_id = p.id and deleted_at is null)
  or exists (select from access_grant where product_id = p.id)`;

/** Returns the text before. The delivery changes only in a draft with nothing built on it. */
export async function changeProduct(
  em: EntityManager,
  { productId, ...text }: ProductText & { productId: string },
): Promise<{ before: ProductText } | Refusal<'removed' | 'delivery_fixed'>> {
  const locked = await lockProduct(em, productId);
  if (!locked) return refuse('removed');
  const [changed] = await rows<ProductText>(
    em,
    `update product p set name = ?, tagline = ?, delivery = ?
     where id = ? and (delivery = ? or (state = 'draft' and not (${IS_INTEGRATED})))
     returning old.name, old.tagline, old.delivery`,
    [text.name, text.tagline, text.delivery, productId, text.delivery],
  );
  return changed ? { before: changed } : refuse('delivery_fixed');
}

/**
 * The earlier slugs keep leading to the product, and it may return to one of them. The primary key
 * decides whether a slug belongs to another product.
 */
export async function changeSlug(
  em: EntityManager,
  { productId, slug }: { productId: string; slug: string },
): Promise<{ before: string } | Refusal<'removed' | 'same' | 'slug_taken' | 'too_many'>> {
  if (!(await lockProduct(em, productId))) return refuse('removed');
  const had = await rows<{ slug: string; isCurrent: boolean }>(
    em,
    'select slug, is_current as "isCurrent" from product_slug where product_id = ?',
    [productId],
  );
  const before = had.find(({ isCurrent }) => isCurrent)!.slug;
  if (before === slug) return refuse('same');
  if (had.length >= MOST_SLUGS && !had.some((each) => each.slug === slug)) {
    return refuse('too_many');
  }
  const reserved = await rows(
    em,
    `insert into product_slug as s (slug, product_id, is_current) values (?, ?, false)
     on conflict (slug) do update set is_current = false where s.product_id = excluded.product_id
     returning 1`,
    [slug, productId],
  );
  if (reserved.length === 0) return refuse('slug_taken');
  await rows(em, 'update product_slug set is_current = false where product_id = ? and is_current', [
    productId,
  ]);
  await rows(em, 'update product_slug set is_current = true where slug = ?', [slug]);
  return { before };
}

/** Earlier slugs, the latest first. */
export async function listOldSlugs(em: EntityManager, productId: string): Promise<string[]> {
  const found = await rows<{ slug: string }>(
    em,
    `select slug from product_slug where product_id = ? and not is_current
     order by created_at desc, slug`,
    [productId],
  );
  return found.map(({ slug }) => slug);
}
