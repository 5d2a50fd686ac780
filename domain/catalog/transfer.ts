import { isAllowed, type Role } from '../teams/permissions.ts';

type Place = { id: string; role: Role; isSuspended: boolean };

/**
 * The possible new teams: a personal product goes to a team where its owner is owner or admin, a
 * team's product to another team of the same owner. A suspended team takes nothing.
 */
export function receivingTeams<Team extends Place>(
  { ownerTeamId }: { ownerTeamId: string | null },
  teams: readonly Team[],
): Team[] {
  const action = ownerTeamId === null ? 'take_over' : 'transfer';
  return teams.filter(
    ({ id, role, isSuspended }) => id !== ownerTeamId && isAllowed([role], action) && !isSuspended,
  );
}
