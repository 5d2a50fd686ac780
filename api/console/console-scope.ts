import { isAllowed } from '../../domain/teams/permissions.ts';
import { listTeamsOf, type TeamView } from '../../domain/teams/team.repository.ts';
import type { SessionContext } from '../http/route.ts';
import { unreadOf } from './notifications/unread.ts';

/** Whose products a page of the console shows: of everybody, of the person alone or of one team. */
type Owner = 'all' | 'me' | Pick<TeamView, 'id' | 'name'>;

/** What the navigation of pages across products is made from. */
export type ConsoleScope = {
  owner: Owner;
  /** The person's own name. */
  name: string;
  teams: readonly TeamView[];
  /** How many notifications wait to be read. */
  unread: number;
  /** The person may see statements of some product. */
  seesMoney: boolean;
};

/** The person's own products, as an address calls their owner. */
export const ME = 'me';

/** An owner that is none of the person's is all of them. */
export async function loadScope(
  context: Pick<SessionContext, 'services' | 'currentUser'>,
  owner?: string,
): Promise<ConsoleScope> {
  const { personId, displayName, isVerifiedBuilder } = context.currentUser;
  const teams = await listTeamsOf(context.services.database.em(), personId);
  const team = teams.find(({ id }) => id === owner);
  return {
    owner: team ?? (owner === ME ? ME : 'all'),
    name: displayName,
    teams,
    unread: await unreadOf(context),
    seesMoney: isVerifiedBuilder || teams.some(({ role }) => isAllowed([role], 'see_statements')),
  };
}

/** Tells whether a product belongs to the owner of the scope. */
export function toOwner({ owner }: Pick<ConsoleScope, 'owner'>) {
  return ({ ownerTeamId }: { ownerTeamId: string | null }): boolean =>
    owner === 'all' || (owner === ME ? ownerTeamId === null : ownerTeamId === owner.id);
}
