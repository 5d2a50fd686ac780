import { expressionBuilder, type Expression } from 'kysely';
import { LOCK, type EntityManager } from '../../platform/database/database.ts';
import { kysely, type Tables } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import type { Role } from './permissions.ts';
import { Team, TeamMember } from './team.entity.ts';

// All teams of one founder rest on one verification.
const MOST_OWNED = 20;

/** Creates a team with its first owner, whose row proves the verification. */
export async function foundTeam(
  em: EntityManager,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<{ teamId: string } | Refusal<'not_verified' | 'too_many'>> {
  const verified = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', ownerId)
    .where('deletedAt', 'is', null)
    .where('builderVerifiedAt', 'is not', null)
    .where('emailVerifiedAt', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!verified) return refuse('not_verified');
  const teams = await listTeamsOf(em, ownerId);
  if (teams.filter(({ role }) => role === 'owner').length >= MOST_OWNED) return refuse('too_many');
  const teamId = newUuid();
  await em.insert(Team, { id: teamId, name });
  await em.insert(TeamMember, { teamId, personId: ownerId, role: 'owner' });
  return { teamId };
}

/** The name before; null when the team is gone. */
export async function renameTeam(
  em: EntityManager,
  { teamId, name }: { teamId: string; name: string },
): Promise<{ before: string } | null> {
  const team = await em.findOne(Team, { id: teamId, deletedAt: null }, LOCK);
  if (!team) return null;
  const before = team.name;
  team.name = name;
  return { before };
}

/** True when every owner of the team is a revoked builder; false without a team. */
export function isSuspended(teamId: Expression<string | null>) {
  const { and, eb, exists, not, selectFrom } = expressionBuilder<Tables>();
  const activeOwner = selectFrom('teamMember as owner')
    .innerJoin('person as builder', 'builder.id', 'owner.personId')
    .select('builder.id')
    .where('owner.teamId', '=', teamId)
    .where('owner.role', '=', 'owner')
    .where('builder.builderRevokedAt', 'is', null);
  return and([eb(teamId, 'is not', null), not(exists(activeOwner))]).$castTo<boolean>();
}

const teamsOf = (em: EntityManager, personId: string) =>
  kysely(em)
    .selectFrom('teamMember as member')
    .innerJoin('team', 'team.id', 'member.teamId')
    .select(['team.id', 'team.name', 'member.role'])
    .select(({ ref }) => isSuspended(ref('team.id')).as('isSuspended'))
    .where('member.personId', '=', personId)
    .where('team.deletedAt', 'is', null);

/** `isSuspended`: the verification of all owners was revoked, so the team sells nothing. */
export async function listTeamsOf(em: EntityManager, personId: string) {
  return teamsOf(em, personId).orderBy('team.createdAt').orderBy('team.id').execute();
}

export type TeamView = Awaited<ReturnType<typeof listTeamsOf>>[number];

/** The team for a member; null for everybody else. */
export async function findTeamOf(
  em: EntityManager,
  { teamId, personId }: { teamId: string; personId: string },
) {
  const found = await teamsOf(em, personId).where('team.id', '=', teamId).executeTakeFirst();
  return found ?? null;
}

/**
 * Changes of a team wait here for each other, so an owner always remains. Returns the person's role
 * under the lock; null without a role, and when the team is gone.
 */
export async function lockTeam(
  em: EntityManager,
  { teamId, personId }: { teamId: string; personId: string },
): Promise<Role | null> {
  if (!(await em.findOne(Team, { id: teamId, deletedAt: null }, LOCK))) return null;
  return (await findTeamOf(em, { teamId, personId }))?.role ?? null;
}

/** Locks all teams of a person, whose roles may be about to change. */
export async function lockTeamsOf(em: EntityManager, personId: string): Promise<void> {
  await kysely(em)
    .selectFrom('team')
    .select('id')
    .where('id', 'in', (query) =>
      query.selectFrom('teamMember').select('teamId').where('personId', '=', personId),
    )
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Removes the person from all teams; the caller has checked that each keeps an owner. */
export async function leaveTeams(em: EntityManager, personId: string): Promise<void> {
  await em.nativeDelete(TeamMember, { personId });
}
