// Finds what an operator searches for by a name or an address. Each look-up but that of a key's last
// characters is by an index.
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { lower, lowerOf } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import type { Place } from './found-thing.ts';

/** More things are found by a longer name. */
export const MOST_NAMED = 20;

// The order of the index `product_name_start`.
const NAME = sql<string>`lower(p.name) collate "C"`;
const LAST_CHARACTER = '\u{10FFFF}';

const products = (em: EntityManager) => kysely(em).selectFrom('product as p');
const people = (em: EntityManager) =>
  kysely(em).selectFrom('person').select(['id', 'handle as label']);

export async function findByEmail(
  em: EntityManager,
  { address }: { address: string },
): Promise<Place[]> {
  const found = await people(em)
    .where(lower('email'), '=', lowerOf(address))
    .where('deletedAt', 'is', null)
    .execute();
  return found.map((person) => ({ is: 'person', ...person }));
}

/** A thing that has exactly this name comes first. */
export async function findByName(em: EntityManager, { name }: { name: string }): Promise<Place[]> {
  const persons = await people(em).where('handle', '=', name.toLowerCase()).execute();
  const named = await products(em)
    .innerJoin('productSlug', 'productSlug.productId', 'p.id')
    .select(['p.id', 'p.name as label', 'p.id as ref'])
    .where('productSlug.slug', '=', name.toLowerCase())
    .execute();
  const begun = await findByWords(em, { words: name });
  return [
    ...persons.map((person) => ({ is: 'person' as const, ...person })),
    ...named.map((product) => ({ is: 'product' as const, ...product })),
    ...begun.filter(({ id }) => !named.some((product) => product.id === id)),
    ...(name.length === 4 ? await findKeys(em, name) : []),
  ];
}

/** Products whose names begin with these words, in any case. */
export async function findByWords(
  em: EntityManager,
  { words }: { words: string },
): Promise<Place[]> {
  const found = await products(em)
    .select(['p.id', 'p.name as label', 'p.id as ref'])
    .where(({ between }) => between(NAME, lowerOf(words), lowerOf(words + LAST_CHARACTER)))
    .orderBy(NAME)
    .orderBy('p.id')
    .limit(MOST_NAMED)
    .execute();
  return found.map((product) => ({ is: 'product', ...product }));
}

async function findKeys(em: EntityManager, lastFour: string): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('apiKey as key', 'key.productId', 'p.id')
    .select(['key.id', 'p.id as ref'])
    .select(sql<string>`p.name || ', ' || key.name`.as('label'))
    .where('key.lastFour', '=', lastFour)
    .orderBy('key.createdAt', 'desc')
    .limit(MOST_NAMED)
    .execute();
  return found.map((key) => ({ is: 'key', ...key }));
}
