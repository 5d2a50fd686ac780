import { rows, type EntityManager } from '../platform/database.ts';
import { newUuid } from '../platform/ids.ts';
import type { Role } from './permissions.ts';

export type TeamView = { id: string; name: string; role: Role };

/** A team and its first owner. */
export async function foundTeam(
  em: EntityManager,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<string> {
  const id = newUuid();
  await rows(em, 'insert into team (id, name) values (?, ?)', [id, name]);
  await rows(em, `insert into team_member (team_id, person_id, role) values (?, ?, 'owner')`, [
    id,
    ownerId,
  ]);
  return id;
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

/** Whoever changes who owns a team waits here for the others, so that one owner always remains. */
export async function lockTeamsOwnedBy(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `select 1 from team where id in (
       select team_id from team_member where person_id = ? and role = 'owner')
     order by id for update`,
    [personId],
  );
}

/** The person is out of all their teams; the caller has made sure that each keeps an owner. */
export async function leaveTeams(em: EntityManager, personId: string): Promise<void> {
  await rows(em, 'delete from team_member where person_id = ?', [personId]);
}
