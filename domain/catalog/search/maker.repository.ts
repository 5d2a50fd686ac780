import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { SEARCH_PAGE } from './search-store.repository.ts';

/** A person by the handle, or a team by its id. */
export type MakerKey = { handle: string } | { teamId: string };

/** A person or a team with listed products. */
export type Maker = { name: string; productCount: number };

/** Finds a maker; null without a listed product. */
export async function findMaker(em: EntityManager, key: MakerKey): Promise<Maker | null> {
  const { name, productCount } = await listedOf(em, key)
    .select(({ fn }) => [
      // One maker has one name.
      fn.max(fn.coalesce('team.name', 'person.displayName')).as('name'),
      fn.countAll<number>().as('productCount'),
    ])
    .executeTakeFirstOrThrow();
  return name === null ? null : { name, productCount };
}

/** Lists the products of a page, the most popular first, and whether others follow. */
export async function listMakerProducts(
  em: EntityManager,
  { key, page }: { key: MakerKey; page: number },
): Promise<{ ids: string[]; hasMore: boolean }> {
  const found = await listedOf(em, key)
    .select('listed.productId')
    .orderBy('listed.popularity', 'desc')
    .orderBy('listed.listedAt', 'desc')
    .orderBy('listed.productId')
    .offset((page - 1) * SEARCH_PAGE)
    .limit(SEARCH_PAGE + 1)
    .execute();
  const ids = found.slice(0, SEARCH_PAGE).map(({ productId }) => productId);
  return { ids, hasMore: found.length > SEARCH_PAGE };
}

function listedOf(em: EntityManager, key: MakerKey) {
  const listed = kysely(em)
    .selectFrom('productSearch as listed')
    .innerJoin('product', 'product.id', 'listed.productId')
    .leftJoin('person', 'person.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId');
  return 'handle' in key
    ? listed.where('person.handle', '=', key.handle)
    : listed.where('team.id', '=', key.teamId);
}
