import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { Product } from './product.entity.ts';

/** Locks a person with a confirmed address; false for anybody else. */
export async function lockConfirmed(em: EntityManager, personId: string): Promise<boolean> {
  const person = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .where('emailVerifiedAt', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return person !== undefined;
}

/** A product has one of the two owners. */
type ProductOwner = { ownerPersonId: string | null; ownerTeamId: string | null };

/** Removed products keep their slugs and count, unless they were never listed. */
export async function countOwned(em: EntityManager, owner: ProductOwner): Promise<number> {
  return em.count(Product, {
    ...owner,
    $or: [{ state: { $ne: 'removed' } }, { listedAt: { $ne: null } }],
  });
}

type NewProduct = ProductOwner & { id: string; slug: string; name: string; tagline: string };

/** Inserts a draft with its slug; false when the slug is taken. */
export async function insertProduct(
  em: EntityManager,
  { id, slug, name, tagline, ownerPersonId, ownerTeamId }: NewProduct,
): Promise<boolean> {
  const inserted = await kysely(em)
    .with('reserved', (db) =>
      db
        .insertInto('productSlug')
        .values({ slug, productId: id })
        .onConflict((conflict) => conflict.column('slug').doNothing())
        .returning('productId'),
    )
    .insertInto('product')
    .columns(['id', 'ownerPersonId', 'ownerTeamId', 'name', 'tagline'])
    .expression(({ cast, selectFrom, val }) =>
      selectFrom('reserved').select([
        'reserved.productId',
        cast<string | null>(val(ownerPersonId), 'uuid').as('ownerPersonId'),
        cast<string | null>(val(ownerTeamId), 'uuid').as('ownerTeamId'),
        cast<string>(val(name), 'text').as('name'),
        cast<string>(val(tagline), 'text').as('tagline'),
      ]),
    )
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}
