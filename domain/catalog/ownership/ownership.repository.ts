import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { isAllowed } from '../../teams/permissions.ts';
import { lockTeam } from '../../teams/team.repository.ts';
import { lockProduct } from '../listing/listing.repository.ts';
import { receivingTeams } from './transfer.ts';

export const MOST_ENDPOINTS_OF_ONE_OWNER = 100;

export type Owner = { personId: string | null; teamId: string | null };

/**
 * Locks the owner of a product, then the product. Null when the product has another owner by then.
 */
export async function lockWithOwner(em: EntityManager, productId: string): Promise<Owner | null> {
  const [owner] = await rows<Owner>(
    em,
    `select owner_person_id as "personId", owner_team_id as "teamId" from product where id = ?`,
    [productId],
  );
  if (!owner) return null;
  const { personId, teamId } = owner;
  await rows(em, 'select 1 from person where id = ? for no key update', [personId]);
  await rows(em, 'select 1 from team where id = ? for no key update', [teamId]);
  const unchanged = await rows(
    em,
    `select 1 from product where id = ? and (owner_person_id = ? or owner_team_id = ?)
     for no key update`,
    [productId, personId, teamId],
  );
  return unchanged.length === 1 ? owner : null;
}

/** Counts the endpoints of an owner's products and of one more product. */
export async function countEndpoints(
  em: EntityManager,
  { personId, teamId }: Owner,
  productId: string,
): Promise<number> {
  const [counted] = await rows<{ n: number }>(
    em,
    `select count(*)::int as n from webhook_endpoint e join product p on p.id = e.product_id
     where e.deleted_at is null
       and (p.owner_person_id = ? or p.owner_team_id = ? or p.id = ?)`,
    [personId, teamId, productId],
  );
  return counted!.n;
}

export type Transfer = {
  productId: string;
  byId: string;
  fromTeamId: string | null;
  toTeamId: string;
};

/**
 * Locks the teams and then the product, in the order of every change that locks an owner and a
 * product. False when the person's roles in the teams do not allow the transfer.
 */
export async function lockForTransfer(em: EntityManager, transfer: Transfer): Promise<boolean> {
  if (!(await mayTransfer(em, transfer))) return false;
  await lockProduct(em, transfer.productId);
  return true;
}

/** Transfers a product to a team: of two transfers at once, the second finds another owner. */
export async function transferProduct(
  em: EntityManager,
  transfer: Transfer,
): Promise<{ productId: string } | Refusal<'not_allowed' | 'moved' | 'too_many_endpoints'>> {
  const { productId, byId, fromTeamId, toTeamId } = transfer;
  if (!(await lockForTransfer(em, transfer))) return refuse('not_allowed');
  const endpoints = await countEndpoints(em, { personId: null, teamId: toTeamId }, productId);
  if (endpoints > MOST_ENDPOINTS_OF_ONE_OWNER) return refuse('too_many_endpoints');
  const [moved] = await rows<{ productId: string }>(
    em,
    `update product set owner_person_id = null, owner_team_id = ?
     where id = ? and state <> 'removed' and (owner_team_id = ?
       or (?::uuid is null and owner_person_id = ?))
     returning id as "productId"`,
    [toTeamId, productId, fromTeamId, fromTeamId, byId],
  );
  return moved ?? refuse('moved');
}

/**
 * The roles count as of now; both teams are locked in one order, whichever direction the product
 * goes.
 */
async function mayTransfer(em: EntityManager, transfer: Transfer): Promise<boolean> {
  const { byId, fromTeamId, toTeamId } = transfer;
  const teams = [];
  for (const id of [fromTeamId, toTeamId].filter((id) => id !== null).toSorted()) {
    const role = await lockTeam(em, { teamId: id, personId: byId });
    if (role !== null) teams.push({ id, role });
  }
  const from = teams.find(({ id }) => id === fromTeamId);
  if (fromTeamId !== null && !(from && isAllowed([from.role], 'transfer'))) return false;
  return receivingTeams({ ownerTeamId: fromTeamId }, teams).some(({ id }) => id === toTeamId);
}

/** A team with products is not deleted: a product that arrives waits for the same lock. */
export async function deleteTeam(
  em: EntityManager,
  { teamId, byId }: { teamId: string; byId: string },
): Promise<{ teamId: string } | Refusal<'not_allowed' | 'has_products'>> {
  const role = await lockTeam(em, { teamId, personId: byId });
  if (role === null || !isAllowed([role], 'delete_team')) return refuse('not_allowed');
  const owned = `select 1 from product where owner_team_id = ? and state <> 'removed' limit 1`;
  if ((await rows(em, owned, [teamId])).length > 0) return refuse('has_products');
  await rows(em, 'update team set deleted_at = gatehouse_now() where id = ?', [teamId]);
  await rows(
    em,
    `update team_invitation set withdrawn_at = gatehouse_now()
     where team_id = ? and accepted_at is null and withdrawn_at is null`,
    [teamId],
  );
  return { teamId };
}

/**
 * True when something would lose its owner: personal products that are not removed, or teams with
 * this only owner.
 */
export async function isNeededAsOwner(em: EntityManager, personId: string): Promise<boolean> {
  const needed = await rows(
    em,
    `select 1 from product where owner_person_id = ? and state <> 'removed'
     union all
     select 1 from team_member m join team t on t.id = m.team_id and t.deleted_at is null
     where m.person_id = ? and m.role = 'owner' and not exists (
       select 1 from team_member other
       where other.team_id = m.team_id and other.role = 'owner' and other.person_id <> m.person_id)
     limit 1`,
    [personId, personId],
  );
  return needed.length > 0;
}
