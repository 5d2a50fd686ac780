import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import type { Role } from './permissions.ts';

export type TeamView = { id: string; name: string; role: Role };

// Whatever one person founds stands on one verification.
const MOST_OWNED = 20;

/** A team and its first owner: a verified builder, whose row decides it. */
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

/** The name that it had before; null where the team is gone by now. */
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

/** The team as a member of it sees it; null for everybody else. */
export async function findTeamOf(
  em: EntityManager,
  { teamId, personId }: { teamId: string; personId: string },
): Promise<TeamView | null> {
  const [found] = await rows<TeamView>(em, `${TEAM_OF} and t.id = ?`, [personId, teamId]);
  return found ?? null;
}

/**
 * Whoever changes a team waits here for the others, so that one owner always remains. Answers what
 * the person is to it by then: null for nothing, and where the team is gone.
 */
export async function lockTeam(
  em: EntityManager,
  { teamId, personId }: { teamId: string; personId: string },
): Promise<Role | null> {
  const living = 'select 1 from team where id = ? and deleted_at is null for update';
  if ((await rows(em, living, [teamId])).length === 0) return null;
  return (await findTeamOf(em, { teamId, personId }))?.role ?? null;
}

/** As above, of all teams of a person: whatever they are in them, it may be about to change. */
export async function lockTeamsOf(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `select 1 from team where id in (select team_id from team_member where person_id = ?)
     order by id for update`,
    [personId],
  );
}

/** The person is out of all their teams; the caller has made sure that each keeps an owner. */
export async function leaveTeams(em: EntityManager, personId: string): Promise<void> {
  await rows(em, 'delete from team_member where person_id = ?', [personId]);
}
