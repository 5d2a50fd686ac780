import { isAllowed, type Role } from '../../teams/permissions.ts';

type Place = { id: string; role: Role };

/**
 * The teams that a product may go to: one's own goes where one is owner or admin, a team's to
 * another team of the same owner.
 */
export function receivingTeams<Team extends Place>(
  { ownerTeamId }: { ownerTeamId: string | null },
  teams: readonly Team[],
): Team[] {
  const action = ownerTeamId === null ? 'take_over' : 'transfer';
  return teams.filter(({ id, role }) => id !== ownerTeamId && isAllowed([role], action));
}
