import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { lockTeam } from '../teams/team.repository.ts';

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
  const owned = await rows(
    em,
    `select 1 from product where (state <> 'removed' or listed_at is not null)
       and (owner_person_id = ? or owner_team_id = ?)`,
    [teamId === null ? byId : null, teamId],
  );
  if (owned.length >= MOST_OF_ONE_OWNER) return refuse('too_many');
  const id = newUuid();
  await rows(
    em,
    `insert into product (id, owner_person_id, owner_team_id, name, tagline) values (?, ?, ?, ?, ?)`,
    [id, teamId === null ? byId : null, teamId, name, tagline],
  );
  await rows(em, 'insert into product_slug (slug, product_id) values (?, ?)', [slug, id]);
  return { productId: id };
}

/** The lock decides against the deletion of the account at the same moment. */
async function lockConfirmed(em: EntityManager, personId: string): Promise<boolean> {
  const confirmed = `select 1 from person
    where id = ? and deleted_at is null and email_verified_at is not null for no key update`;
  return (await rows(em, confirmed, [personId])).length > 0;
}

async function lockFor(em: EntityManager, { byId, teamId }: NewProduct): Promise<boolean> {
  const role = teamId === null ? null : await lockTeam(em, { teamId, personId: byId });
  return role !== null && isAllowed([role], 'edit_listing');
}
