import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import {
  hasWhereToPay,
  notifyOfNewSeller,
} from '../billing/product-subscriptions/subscription.repository.ts';
import { holdRevoked } from '../identity/operators/builder.repository.ts';
import { mailOwners } from '../notifications/recipients.repository.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { findTeamOf, lockTeam } from '../teams/team.repository.ts';
import { countEndpoints, MOST_ENDPOINTS_OF_ONE_OWNER } from './owner.repository.ts';
import { lockProduct } from './product-lifecycle.repository.ts';
import { Product } from './product.entity.ts';
import { indexProducts } from './search/index-products.repository.ts';
import { receivingTeams } from './transfer.ts';

type Transfer = {
  productId: string;
  fromTeamId: string | null;
  toTeamId: string;
  by: Actor & { personId: string };
};

export type TransferRefusal =
  | 'not_allowed'
  | 'revoked'
  | 'no_payout_account'
  | 'too_many_endpoints'
  | 'moved';

/**
 * Transfers a product to a team: of two transfers at once, the second finds another owner. A revoked
 * builder would leave the revocation behind with the product. Locks the teams, the person and then
 * the product, in the order of every change that locks an owner and a product.
 */
export async function transferProduct(
  em: EntityManager,
  transfer: Transfer,
): Promise<{ productId: string } | Refusal<TransferRefusal>> {
  return inTransaction(em, async (em) => {
    const { productId, fromTeamId, toTeamId, by } = transfer;
    const { personId } = by;
    if (!(await mayTransfer(em, transfer))) return refuse('not_allowed');
    if ((await holdRevoked(em, [personId])).size > 0) return refuse('revoked');
    await lockProduct(em, productId);
    if (!(await hasWhereToPay(em, transfer))) return refuse('no_payout_account');
    const endpoints = await countEndpoints(em, { personId: null, teamId: toTeamId }, productId);
    if (endpoints > MOST_ENDPOINTS_OF_ONE_OWNER) return refuse('too_many_endpoints');
    const owner = fromTeamId === null ? { ownerPersonId: personId } : { ownerTeamId: fromTeamId };
    const moved = await em.nativeUpdate(
      Product,
      { id: productId, state: { $ne: 'removed' }, ...owner },
      { ownerPersonId: null, ownerTeamId: toTeamId },
    );
    if (moved === 0) return refuse('moved');
    await indexProducts(em, [productId]);
    await notifyOfNewSeller(em, productId);
    // Both sides find it in their audit.
    const entry = { by, productId, subject: productId };
    await recordAudit(em, { ...entry, action: 'product.handed_over', teamId: fromTeamId });
    await recordAudit(em, { ...entry, action: 'product.received', teamId: toTeamId });
    const from = fromTeamId === null ? { personId } : { teamId: fromTeamId };
    await mailOwners(em, 'product_transferred', from, { teamId: toTeamId });
    return { productId };
  });
}

/**
 * The roles count as of now; both teams are locked in one order, whichever direction the product
 * goes.
 */
async function mayTransfer(
  em: EntityManager,
  { fromTeamId, toTeamId, by: { personId } }: Transfer,
): Promise<boolean> {
  const teams = [];
  for (const teamId of [fromTeamId, toTeamId].filter((id) => id !== null).toSorted()) {
    await lockTeam(em, { teamId, personId });
    const team = await findTeamOf(em, { teamId, personId });
    if (team) teams.push(team);
  }
  const from = teams.find(({ id }) => id === fromTeamId);
  if (fromTeamId !== null && !(from && isAllowed([from.role], 'transfer'))) return false;
  return receivingTeams({ ownerTeamId: fromTeamId }, teams).some(({ id }) => id === toTeamId);
}
