import type { EntityManager } from '../../../platform/database/database.ts';
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
