import { z } from 'zod';
import { parseUuid } from '../../../domain/shared/ids.ts';
import type { Action } from '../../../domain/teams/permissions.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import { HttpError } from '../../http/errors.ts';
import type { SessionContext } from '../../http/route.ts';
import { loadScope, type ConsoleScope } from '../console-scope.ts';
import { actorOf, requireAllowed } from '../managed-product.ts';
import { given } from '../../http/fields.ts';

export const teamRef = z.object({ team: given(36) });

export type TeamCall = SessionContext & { params: { team: string } };

/** A team with the others of the person, for the navigation of its pages. */
export type ShownTeam = TeamView & { scope: ConsoleScope };

/** The team of the address, for its members: for everybody else there is no such page. */
export async function loadTeam(context: TeamCall, action: Action = 'see'): Promise<ShownTeam> {
  const teamId = parseUuid(context.params.team);
  if (teamId === null) throw new HttpError('not_found');
  const scope = await loadScope(context, teamId);
  const team = scope.teams.find(({ id }) => id === teamId);
  if (!team) throw new HttpError('not_found');
  requireAllowed({ roles: [team.role] }, action);
  return { ...team, scope };
}

/** The audit entry of an action on a team. */
export function auditEntryIn(context: TeamCall, { id: teamId }: TeamView) {
  return { by: actorOf(context), teamId };
}
