import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Category } from '../listing-words.ts';
import { listChosenShelves } from './chosen-shelf.repository.ts';

/** A list of products on the first page of the store, by their ids. */
export type Shelf = { kind: ShelfKind; productIds: string[] };

export type ShelfKind =
  | { type: 'new' | 'popular' | 'sealed' | 'included' }
  | { type: 'category'; category: Category }
  /** An operator has chosen the products, and named the shelf. */
  | { type: 'chosen'; title: string };

const SHOWN_CATEGORIES = 2;
const COUNTED_PRODUCTS = 200;

/** Lists are shorter than shelves of cards. */
const LONGEST_LIST = 5;
const LONGEST_CARDS = 8;

/**
 * Reads what stands on the shelves of the store's first page. A product stands on the first of them
 * that it belongs to; empty ones are left out.
 */
export async function readShelves(em: EntityManager): Promise<Shelf[]> {
  const chosen = await listChosenShelves(em);
  const shelves: Shelf[] = chosen.map(({ title, productIds }) => {
    return { kind: { type: 'chosen', title }, productIds };
  });
  const add = async (kind: ShelfKind, products: ReturnType<typeof selectPopular>) => {
    const isNew = ({ productId }: { productId: string }) =>
      shelves.every(({ productIds }) => !productIds.includes(productId));
    const most = kind.type === 'new' || kind.type === 'sealed' ? LONGEST_LIST : LONGEST_CARDS;
    const shown = shelves.flatMap(({ productIds }) => productIds).length;
    const found = (await products.limit(shown + most).execute()).filter(isNew).slice(0, most);
    if (found.length === 0) return;
    shelves.push({ kind, productIds: found.map(({ productId }) => productId) });
  };
  const popular = selectPopular(em);
  // Few have the seal, and always some are new.
  await add({ type: 'sealed' }, popular.where('isSealed', '=', true));
  await add({ type: 'new' }, selectNew(em));
  await add({ type: 'popular' }, popular);
  await add({ type: 'included' }, popular.where('isIncluded', '=', true));
  for (const category of await listPopularCategories(em)) {
    await add({ type: 'category', category }, popular.where('category', '=', category));
  }
  return shelves;
}

/** The most popular products of a category. */
export async function listPopularIn(
  em: EntityManager,
  { category, most }: { category: Category; most: number },
): Promise<string[]> {
  const found = await selectPopular(em).where('category', '=', category).limit(most).execute();
  return found.map(({ productId }) => productId);
}

const selectPopular = (em: EntityManager) =>
  kysely(em)
    .selectFrom('productSearch')
    .select('productId')
    .orderBy('popularity', 'desc')
    .orderBy('listedAt', 'desc')
    .orderBy('productId');

const selectNew = (em: EntityManager) =>
  kysely(em)
    .selectFrom('productSearch')
    .select('productId')
    .orderBy('listedAt', 'desc')
    .orderBy('productId');

/** The categories of most popular products: all products would be counted for no better ones. */
async function listPopularCategories(em: EntityManager): Promise<Category[]> {
  const found = await kysely(em)
    .selectFrom(selectPopular(em).select('category').limit(COUNTED_PRODUCTS).as('popular'))
    .select('category')
    .where('category', 'is not', null)
    .groupBy('category')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('category')
    .limit(SHOWN_CATEGORIES)
    .execute();
  return found.map(({ category }) => category!);
}
