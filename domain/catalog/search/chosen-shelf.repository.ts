import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

export const PLACES = [1, 2] as const;
export const LONGEST_SHELF = 12;

export type ChosenShelfView = { place: number; title: string; productIds: string[] };

export async function listChosenShelves(em: EntityManager): Promise<ChosenShelfView[]> {
  return kysely(em)
    .selectFrom('chosenShelf')
    .select(['place', 'title', 'productIds'])
    .orderBy('place')
    .execute();
}

/** Fills a shelf; one without products is taken away. */
export async function setChosenShelf(
  em: EntityManager,
  { place, title, productIds }: ChosenShelfView,
): Promise<void> {
  if (productIds.length === 0) {
    await kysely(em).deleteFrom('chosenShelf').where('place', '=', place).execute();
    return;
  }
  const values = { title, productIds, changedAt: NOW };
  await kysely(em)
    .insertInto('chosenShelf')
    .values({ place, ...values })
    .onConflict((conflict) => conflict.column('place').doUpdateSet(values))
    .execute();
}

/** Finds listed products by their current slugs. */
export async function findListedBySlug(
  em: EntityManager,
  slugs: readonly string[],
): Promise<Map<string, string>> {
  const found = await kysely(em)
    .selectFrom('productSlug as slug')
    .innerJoin('productSearch as listed', 'listed.productId', 'slug.productId')
    .select(['slug.slug', 'slug.productId'])
    .where('slug.slug', '=', anyOf(slugs))
    .where('slug.isCurrent', '=', true)
    .execute();
  return new Map(found.map(({ slug, productId }) => [slug, productId]));
}
