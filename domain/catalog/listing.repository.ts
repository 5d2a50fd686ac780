import type { EntityManager } from '../../platform/database/database.ts';
import { type Refusal, refuse } from '../shared/refusal.ts';
import { Product, ProductSlug } from './product.entity.ts';
import { lockProduct } from './product-lifecycle.repository.ts';

const MOST_SLUGS = 20;

/**
 * The earlier slugs keep leading to the product, and it may return to one of them. The primary key
 * decides whether a slug belongs to another product.
 */
export async function changeSlug(
  em: EntityManager,
  { productId, slug }: { productId: string; slug: string },
): Promise<{ before: string } | Refusal<'removed' | 'same' | 'slug_taken' | 'too_many'>> {
  if (!(await lockProduct(em, productId))) return refuse('removed');
  const product = await em.findOneOrFail(Product, productId, { populate: ['slugs'] });
  const slugs = product.slugs.getItems();
  const current = slugs.find(({ isCurrent }) => isCurrent)!;
  const before = current.slug;
  if (before === slug) return refuse('same');
  if (slugs.length >= MOST_SLUGS && !slugs.some((each) => each.slug === slug)) {
    return refuse('too_many');
  }
  const reserved = await em.upsert(
    ProductSlug,
    { slug, productId, isCurrent: false },
    { onConflictAction: 'ignore' },
  );
  if (reserved.productId !== productId) return refuse('slug_taken');
  current.isCurrent = false;
  await em.flush(); // the index allows one current slug
  reserved.isCurrent = true;
  return { before };
}

/** Earlier slugs, the latest first. */
export async function listOldSlugs(em: EntityManager, productId: string): Promise<string[]> {
  const orderBy = { createdAt: 'desc', slug: 'asc' } as const;
  const old = await em.find(ProductSlug, { productId, isCurrent: false }, { orderBy });
  return old.map(({ slug }) => slug);
}
