import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { isAllowed } from '../../teams/permissions.ts';
import { lockTeam } from '../../teams/team.repository.ts';

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
