import { batchStatement } from '../../../platform/database/batcher.ts';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

/** A person or a team with listed products, the most popular first. */
export type Maker = { name: string; productIds: string[] };

/** Finds a maker by the handle of a person or the id of a team; null without a listed product. */
export async function findMaker(
  em: EntityManager,
  of: { handle: string } | { teamId: string },
): Promise<Maker | null> {
  const listed = kysely(em)
    .selectFrom('productSearch as listed')
    .innerJoin('product', 'product.id', 'listed.productId')
    .leftJoin('person', 'person.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .select('listed.productId')
    .select(({ fn }) =>
      fn.coalesce('team.name', 'person.displayName').$castTo<string>().as('name'),
    );
  const own =
    'handle' in of
      ? listed.where('person.handle', '=', of.handle)
      : listed.where('team.id', '=', of.teamId);
  const found = await own
    .orderBy('listed.popularity', 'desc')
    .orderBy('listed.listedAt', 'desc')
    .orderBy('listed.productId')
    .execute();
  if (found.length === 0) return null;
  return { name: found[0]!.name, productIds: found.map(({ productId }) => productId) };
}

/** Finds the handle of a person by id. */
export const findHandle = batchStatement<string, string | null, Database>({
  async many(database, ids) {
    const found = await kysely(database.em())
      .selectFrom('person')
      .select(['id', 'handle'])
      .where('id', '=', anyOf([...new Set(ids)]))
      .execute();
    const byId = new Map(found.map(({ id, handle }) => [id, handle]));
    return ids.map((id) => byId.get(id) ?? null);
  },
});
