import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { type Refusal, refuse } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { lockTeam } from '../teams/team.repository.ts';
import { Product, ProductSlug } from './product.entity.ts';

export type NewProduct = {
  slug: string;
  name: string;
  tagline: string;
  byId: string;
  /** Null: the product is personal. */
  teamId: string | null;
};

const MOST_OF_ONE_OWNER = 100;

/**
 * Creates a draft for a person with a confirmed address. A slug of another product violates its
 * unique constraint. Removed products keep their slugs and count, unless they were never listed.
 */
export async function createProduct(
  em: EntityManager,
  product: NewProduct,
): Promise<{ productId: string } | Refusal<'not_allowed' | 'not_confirmed' | 'too_many'>> {
  const { slug, name, tagline, byId, teamId } = product;
  if (!(await lockConfirmed(em, byId))) return refuse('not_confirmed');
  const isOwnerReady = teamId === null || (await lockFor(em, product));
  if (!isOwnerReady) return refuse('not_allowed');
  const owner =
    teamId === null
      ? { ownerPersonId: byId, ownerTeamId: null }
      : { ownerPersonId: null, ownerTeamId: teamId };
  const owned = await em.count(Product, {
    ...owner,
    $or: [{ state: { $ne: 'removed' } }, { listedAt: { $ne: null } }],
  });
  if (owned >= MOST_OF_ONE_OWNER) return refuse('too_many');
  const productId = newUuid();
  await em.insert(Product, { id: productId, ...owner, name, tagline });
  await em.insert(ProductSlug, { slug, productId });
  return { productId };
}

/** The lock decides against the deletion of the account at the same moment. */
async function lockConfirmed(em: EntityManager, personId: string): Promise<boolean> {
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

async function lockFor(em: EntityManager, { byId, teamId }: NewProduct): Promise<boolean> {
  const role = teamId === null ? null : await lockTeam(em, { teamId, personId: byId });
  return role !== null && isAllowed([role], 'edit_listing');
}
