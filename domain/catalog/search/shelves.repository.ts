import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Category } from '../listing-words.ts';
import { listChosenShelves, LONGEST_SHELF } from './chosen-shelf.repository.ts';

/** A list of products on the first page of the store, by their ids. */
export type Shelf = { kind: ShelfKind; productIds: string[] };

export type ShelfKind =
  | { type: 'new' | 'popular' | 'sealed' | 'included' }
  | { type: 'category'; category: Category }
  /** An operator has chosen the products, and named the shelf. */
  | { type: 'chosen'; title: string };

const SHOWN_CATEGORIES = 2;

/** Reads what stands on the shelves of the store's first page; empty ones are left out. */
export async function readShelves(em: EntityManager): Promise<Shelf[]> {
  const popular = kysely(em)
    .selectFrom('productSearch')
    .select('productId')
    .orderBy('popularity', 'desc')
    .orderBy('listedAt', 'desc')
    .orderBy('productId')
    .limit(LONGEST_SHELF);
  const latest = kysely(em)
    .selectFrom('productSearch')
    .select('productId')
    .orderBy('listedAt', 'desc')
    .orderBy('productId')
    .limit(LONGEST_SHELF);
  const chosen = await listChosenShelves(em);
  const shelves: Shelf[] = chosen.map(({ title, productIds }) => {
    return { kind: { type: 'chosen', title }, productIds };
  });
  const add = async (kind: ShelfKind, query: typeof popular) => {
    const found = await query.execute();
    if (found.length === 0) return;
    shelves.push({ kind, productIds: found.map(({ productId }) => productId) });
  };
  await add({ type: 'new' }, latest);
  await add({ type: 'sealed' }, popular.where('isSealed', '=', true));
  await add({ type: 'popular' }, popular);
  await add({ type: 'included' }, popular.where('isIncluded', '=', true));
  for (const category of await listLargestCategories(em)) {
    await add({ type: 'category', category }, popular.where('category', '=', category));
  }
  return shelves;
}

async function listLargestCategories(em: EntityManager): Promise<Category[]> {
  const found = await kysely(em)
    .selectFrom('productSearch')
    .select('category')
    .where('category', 'is not', null)
    .groupBy('category')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('category')
    .limit(SHOWN_CATEGORIES)
    .execute();
  return found.map(({ category }) => category!);
}
