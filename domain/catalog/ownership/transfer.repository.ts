import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { isAllowed } from '../../teams/permissions.ts';
import { lockTeam } from '../../teams/team.repository.ts';
import { lockProduct } from '../listing/product-change.repository.ts';
import { countEndpoints, MOST_ENDPOINTS_OF_ONE_OWNER } from './owner-endpoints.repository.ts';
import { receivingTeams } from './transfer.ts';

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
