import { z } from 'zod';
import { parseUuid } from '../../../domain/shared/ids.ts';
import type { Action } from '../../../domain/teams/permissions.ts';
import { findTeamOf, type TeamView } from '../../../domain/teams/team.repository.ts';
import { HttpError } from '../../http/errors.ts';
import type { SessionContext } from '../../http/route.ts';
import { actorOf, requireAllowed } from '../managed-product.ts';
import { given } from '../../http/fields.ts';

export const teamRef = z.object({ team: given(36) });

export type TeamCall = SessionContext & { params: { team: string } };

/** The team of the address, for its members: for everybody else there is no such page. */
export async function loadTeam(
  { services, params, currentUser }: TeamCall,
  action: Action = 'see',
): Promise<TeamView> {
  const teamId = parseUuid(params.team);
  const { personId } = currentUser;
  const team = teamId && (await findTeamOf(services.database.em(), { teamId, personId }));
  if (!team) throw new HttpError('not_found');
  requireAllowed({ roles: [team.role] }, action);
  return team;
}

/** The audit entry of an action on a team. */
export function auditEntryIn(context: TeamCall, { id: teamId }: TeamView) {
  return { by: actorOf(context), teamId };
}
