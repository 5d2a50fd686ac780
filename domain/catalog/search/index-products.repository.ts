import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { SHOWN_SEAL_STATES } from '../shown-seal.ts';
import { toComparedName, toWords } from './search-words.ts';

const LONGEST_DESCRIPTION = 1_000;
/** A statement has 65,535 parameters at most, and a product takes a dozen. */
const BATCH = 1_000;

/**
 * Writes what the search reads of products, as they are now: those that are not listed have no row.
 * The caller holds the products, so of two changes the later one reads what the earlier one wrote.
 */
export async function indexProducts(
  em: EntityManager,
  productIds: readonly string[],
): Promise<void> {
  await em.flush(); // the statements below read what the caller has changed
  for (let from = 0; from < productIds.length; from += BATCH) {
    await indexBatch(em, productIds.slice(from, from + BATCH));
  }
}

async function indexBatch(em: EntityManager, productIds: readonly string[]): Promise<void> {
  const listed = await readListed(em, productIds);
  const listedIds = listed.map(({ productId }) => productId);
  await kysely(em)
    .deleteFrom('productSearch')
    .where('productId', '=', anyOf(productIds))
    .where(({ eb, not }) => not(eb('productId', '=', anyOf(listedIds))))
    .execute();
  if (listed.length === 0) return;
  await kysely(em)
    .insertInto('productSearch')
    .values(listed.map(toRow))
    .onConflict((conflict) =>
      conflict.column('productId').doUpdateSet(({ ref }) => ({
        name: ref('excluded.name'),
        nameWords: ref('excluded.nameWords'),
        lineWords: ref('excluded.lineWords'),
        words: ref('excluded.words'),
        category: ref('excluded.category'),
        platforms: ref('excluded.platforms'),
        isIncluded: ref('excluded.isIncluded'),
        isSealed: ref('excluded.isSealed'),
        listedAt: ref('excluded.listedAt'),
      })),
    )
    .execute();
}

/** A product without a listing is found by its name, tagline and seller. */
async function readListed(em: EntityManager, productIds: readonly string[]) {
  return kysely(em)
    .selectFrom('product')
    .leftJoin('listing', 'listing.productId', 'product.id')
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .leftJoin('seal', (join) =>
      join.onRef('seal.productId', '=', 'product.id').on('seal.state', 'in', SHOWN_SEAL_STATES),
    )
    .select(['product.id as productId', 'product.name', 'product.tagline'])
    .select(['product.includedWithMember as isIncluded', 'seal.productId as sealedId'])
    .select(['listing.category', 'listing.platforms', 'listing.tags'])
    .select(({ fn, val }) => [
      fn.coalesce('product.listedAt', 'product.createdAt').as('listedAt'),
      fn.coalesce('team.name', 'owner.displayName').$castTo<string>().as('seller'),
      fn<string | null>('left', ['listing.description', val(LONGEST_DESCRIPTION)]).as(
        'description',
      ),
    ])
    .where('product.id', '=', anyOf(productIds))
    .where('product.state', '=', 'listed')
    .execute();
}

type ListedProduct = Awaited<ReturnType<typeof readListed>>[number];

function toRow({ productId, category, isIncluded, listedAt, sealedId, ...product }: ListedProduct) {
  const { name, tagline, seller, description, platforms, tags } = product;
  const line = [name, tagline, ...(tags ?? [])].join(' ');
  const all = [line, seller, description ?? ''].join(' ');
  return {
    productId,
    name: toComparedName(name),
    nameWords: toVector(toWords(name)),
    lineWords: toVector(toWords(line)),
    words: toVectorWithStems(toWords(all)),
    category,
    platforms: platforms ?? [],
    isIncluded,
    isSealed: sealedId !== null,
    listedAt,
  };
}

const { eb, fn, val } = expressionBuilder<Tables>();

const toVector = (words: readonly string[]) =>
  fn<string>('array_to_tsvector', [val([...new Set(words)])]);

const toVectorWithStems = (words: readonly string[]) =>
  eb(
    toVector(words),
    '||',
    fn<string>('strip', [fn('to_tsvector', [val('english'), val(words.join(' '))])]),
  );
