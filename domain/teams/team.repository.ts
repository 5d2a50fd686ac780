import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import type { Role } from './permissions.ts';

export type TeamView = { id: string; name: string; role: Role };

// All teams of one founder rest on one verification.
const MOST_OWNED = 20;

/** Creates a team with its first owner, whose row proves the verification. */
export async function foundTeam(
  em: EntityManager,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<{ teamId: string } | Refusal<'not_verified' | 'too_many'>> {
  const verified = await rows(
    em,
    `select 1 from person where id = ? and deleted_at is null
       and builder_verified_at is not null and email_verified_at is not null for no key update`,
    [ownerId],
  );
  if (verified.length === 0) return refuse('not_verified');
  const teams = await listTeamsOf(em, ownerId);
  if (teams.filter(({ role }) => role === 'owner').length >= MOST_OWNED) return refuse('too_many');
  const id = newUuid();
  await rows(em, 'insert into team (id, name) values (?, ?)', [id, name]);
  await rows(em, `insert into team_member (team_id, person_id, role) values (?, ?, 'owner')`, [
    id,
    ownerId,
  ]);
  return { teamId: id };
}

/** The name before; null when the team is gone. */
export async function renameTeam(
  em: EntityManager,
  { teamId, name }: { teamId: string; name: string },
): Promise<{ before: string } | null> {
  const [renamed] = await rows<{ before: string }>(
    em,
    'update team set name = ? where id = ? and deleted_at is null returning old.name as before',
    [name, teamId],
  );
  return renamed ?? null;
}

const TEAM_OF = `
  select t.id, t.name, m.role
  from team_member m join team t on t.id = m.team_id and t.deleted_at is null
  where m.person_id = ?`;

export async function listTeamsOf(em: EntityManager, personId: string): Promise<TeamView[]> {
  return rows(em, `${TEAM_OF} order by t.created_at, t.id`, [personId]);
}

/** The team for a member; null for everybody else. */
export async function findTeamOf(
  em: EntityManager,
  { teamId, personId }: { teamId: string; personId: string },
): Promise<TeamView | null> {
  const [found] = await rows<TeamView>(em, `${TEAM_OF} and t.id = ?`, [personId, teamId]);
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
  const living = 'select 1 from team where id = ? and deleted_at is null for update';
  if ((await rows(em, living, [teamId])).length === 0) return null;
  return (await findTeamOf(em, { teamId, personId }))?.role ?? null;
}

/** Locks all teams of a person, whose roles may be about to change. */
export async function lockTeamsOf(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `select 1 from team where id in (select team_id from team_member where person_id = ?)
     order by id for update`,
    [personId],
  );
}

/** Removes the person from all teams; the caller has checked that each keeps an owner. */
export async function leaveTeams(em: EntityManager, personId: string): Promise<void> {
  await rows(em, 'delete from team_member where person_id = ?', [personId]);
}
