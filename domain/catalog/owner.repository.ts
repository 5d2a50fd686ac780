import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { CLOCK } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { Team, TeamInvitation } from '../teams/team.entity.ts';
import { lockTeam } from '../teams/team.repository.ts';

export const MOST_ENDPOINTS_OF_ONE_OWNER = 100;

export type Owner = { personId: string | null; teamId: string | null };

/**
 * Locks the owner of a product, then the product. Null when the product has another owner by then.
 */
export async function lockWithOwner(em: EntityManager, productId: string): Promise<Owner | null> {
  const product = kysely(em).selectFrom('product').where('id', '=', productId);
  const owner = await product
    .select(['ownerPersonId as personId', 'ownerTeamId as teamId'])
    .executeTakeFirst();
  if (!owner) return null;
  const { personId, teamId } = owner;
  const lock = (table: 'person' | 'team', id: string) =>
    kysely(em).selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate().execute();
  if (personId !== null) await lock('person', personId);
  if (teamId !== null) await lock('team', teamId);
  const unchanged = await product
    .select('id')
    .where(belongsTo(owner))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return unchanged ? owner : null;
}

function belongsTo({ personId, teamId }: Owner) {
  const { eb, or } = expressionBuilder<Tables, 'product'>();
  return or([eb('product.ownerPersonId', '=', personId), eb('product.ownerTeamId', '=', teamId)]);
}

/** Counts the endpoints of an owner's products and of one more product. */
export async function countEndpoints(
  em: EntityManager,
  owner: Owner,
  productId: string,
): Promise<number> {
  const { endpoints } = await kysely(em)
    .selectFrom('webhookEndpoint as endpoint')
    .innerJoin('product', 'product.id', 'endpoint.productId')
    .select(({ fn }) => fn.countAll<number>().as('endpoints'))
    .where('endpoint.deletedAt', 'is', null)
    .where(({ eb, or }) => or([belongsTo(owner), eb('product.id', '=', productId)]))
    .executeTakeFirstOrThrow();
  return endpoints;
}

/** A team with products is not deleted: a product that arrives waits for the same lock. */
export async function deleteTeam(
  em: EntityManager,
  { teamId, byId }: { teamId: string; byId: string },
): Promise<{ teamId: string } | Refusal<'not_allowed' | 'has_products'>> {
  const role = await lockTeam(em, { teamId, personId: byId });
  if (role === null || !isAllowed([role], 'delete_team')) return refuse('not_allowed');
  if (await ownsProduct(em, { personId: null, teamId })) return refuse('has_products');
  const team = await em.findOneOrFail(Team, teamId);
  team.deletedAt = CLOCK;
  const open = { teamId, acceptedAt: null, withdrawnAt: null };
  await em.nativeUpdate(TeamInvitation, open, { withdrawnAt: CLOCK });
  return { teamId };
}

/** The owner has a product that is not removed. */
async function ownsProduct(em: EntityManager, owner: Owner): Promise<boolean> {
  const owned = await kysely(em)
    .selectFrom('product')
    .select('id')
    .where(belongsTo(owner))
    .where('state', '<>', 'removed')
    .limit(1)
    .executeTakeFirst();
  return owned !== undefined;
}

/**
 * True when something would lose its owner: personal products that are not removed, or teams with
 * this only owner.
 */
export async function isNeededAsOwner(em: EntityManager, personId: string): Promise<boolean> {
  if (await ownsProduct(em, { personId, teamId: null })) return true;
  const orphaned = await kysely(em)
    .selectFrom('teamMember as member')
    .innerJoin('team', 'team.id', 'member.teamId')
    .select('team.id')
    .where('team.deletedAt', 'is', null)
    .where('member.personId', '=', personId)
    .where('member.role', '=', 'owner')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('teamMember as other')
            .select('other.personId')
            .whereRef('other.teamId', '=', 'member.teamId')
            .whereRef('other.personId', '<>', 'member.personId')
            .where('other.role', '=', 'owner'),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return orphaned !== undefined;
}
