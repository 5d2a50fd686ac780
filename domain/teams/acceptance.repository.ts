import { rows, type EntityManager } from '../../platform/database/database.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import type { Role } from './permissions.ts';
import { lockTeam } from './team.repository.ts';

export type Invitation = {
  id: string;
  teamId: string;
  teamName: string;
  inviterName: string;
  address: string;
  role: Role;
  state: 'open' | 'accepted' | 'withdrawn' | 'expired';
};

export async function findInvitation(em: EntityManager, id: string): Promise<Invitation | null> {
  const [found] = await rows<Invitation>(
    em,
    `select i.id, i.team_id as "teamId", t.name as "teamName", p.display_name as "inviterName",
       i.address, i.role,
       case when i.accepted_at is not null then 'accepted'
         when i.withdrawn_at is not null or t.deleted_at is not null then 'withdrawn'
         when i.expires_at <= gatehouse_now() then 'expired'
         else 'open' end as state
     from team_invitation i join team t on t.id = i.team_id join person p on p.id = i.invited_by
     where i.id = ?`,
    [id],
  );
  return found ?? null;
}

type Answer = { invitationId: string; teamId: string; personId: string };

/**
 * Takes the role, once, and only for the person whose confirmed address was invited. A member keeps
 * the current role.
 */
export async function acceptInvitation(
  em: EntityManager,
  { invitationId, teamId, personId }: Answer,
): Promise<{ role: Role; isNew: boolean } | Refusal<'not_yours' | 'not_open'>> {
  await lockTeam(em, { teamId, personId });
  // Shared, and after the team as everywhere: deleting the account waits, and then sees the
  // membership.
  const invited = await rows(
    em,
    `select 1 from person p join team_invitation i on lower(i.address) = lower(p.email)
     where p.id = ? and i.id = ? and p.email_verified_at is not null and p.deleted_at is null
     for share of p`,
    [personId, invitationId],
  );
  if (invited.length === 0) return refuse('not_yours');
  const [taken] = await rows<{ role: Role }>(
    em,
    `update team_invitation set accepted_at = gatehouse_now()
     where id = ? and team_id = ? and accepted_at is null and withdrawn_at is null
       and expires_at > gatehouse_now()
     returning role`,
    [invitationId, teamId],
  );
  if (!taken) return refuse('not_open');
  const joined = await rows(
    em,
    `insert into team_member (team_id, person_id, role) values (?, ?, ?)
     on conflict do nothing returning 1`,
    [teamId, personId, taken.role],
  );
  return { role: taken.role, isNew: joined.length > 0 };
}
