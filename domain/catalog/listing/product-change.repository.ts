import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { ProductView } from '../catalog.repository.ts';

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
