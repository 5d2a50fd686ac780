import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ProductSlug } from '../product.entity.ts';
import { lockProduct } from './listing.repository.ts';

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
  const had = await kysely(em)
    .selectFrom('productSlug')
    .select(['slug', 'isCurrent'])
    .where('productId', '=', productId)
    .execute();
  const before = had.find(({ isCurrent }) => isCurrent)!.slug;
  if (before === slug) return refuse('same');
  if (had.length >= MOST_SLUGS && !had.some((each) => each.slug === slug)) {
    return refuse('too_many');
  }
  if (!(await reserve(em, { productId, slug }))) return refuse('slug_taken');
  await em.nativeUpdate(ProductSlug, { productId, isCurrent: true }, { isCurrent: false });
  await em.nativeUpdate(ProductSlug, { slug }, { isCurrent: true });
  return { before };
}

async function reserve(
  em: EntityManager,
  { productId, slug }: { productId: string; slug: string },
): Promise<boolean> {
  const reserved = await kysely(em)
    .insertInto('productSlug')
    .values({ slug, productId, isCurrent: false })
    .onConflict((conflict) =>
      conflict
        .column('slug')
        .doUpdateSet({ isCurrent: false })
        .whereRef('productSlug.productId', '=', 'excluded.productId'),
    )
    .executeTakeFirst();
  return reserved.numInsertedOrUpdatedRows === 1n;
}

/** Earlier slugs, the latest first. */
export async function listOldSlugs(em: EntityManager, productId: string): Promise<string[]> {
  const old = await kysely(em)
    .selectFrom('productSlug')
    .select('slug')
    .where('productId', '=', productId)
    .where('isCurrent', '=', false)
    .orderBy('createdAt', 'desc')
    .orderBy('slug')
    .execute();
  return old.map(({ slug }) => slug);
}
