import type pg from 'pg';
import { isWithinLimit } from '../limits/consume.repository.ts';
import { Throttle, type ThrottledWork } from '../limits/throttle.repository.ts';
import { queueInvitationMail } from '../identity/mail/mail.repository.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { mayChangeRole, ROLES, type Role } from './permissions.ts';
import { lockTeam } from './team.repository.ts';

const VALID_DAYS = 7;
const MOST_OPEN = 20;
// Separate counters: those of accounts would tell that an account exists.
const TO_ADDRESS = { name: 'invitation-address', most: 5, minutes: 60 };
const BY_INVITER = { name: 'invitation-inviter', most: 20, minutes: 60 };

const OPEN = 'accepted_at is null and withdrawn_at is null';

export type NewInvitation = { teamId: string; byId: string; address: string; role: Role };

export type InvitationRefusal = 'not_allowed' | 'too_many_open' | 'too_many_mails';

/**
 * Invites an address to a role and mails it; an earlier invitation of the address is replaced. No
 * account is read, so the response cannot tell whether one exists.
 */
export async function invite(
  { em, pool }: ThrottledWork,
  { teamId, byId, address, role }: NewInvitation,
): Promise<{ invitationId: string } | Refusal<InvitationRefusal>> {
  const by = await lockTeam(em, { teamId, personId: byId });
  const open = await listInvitations(em, teamId);
  const isSame = (other: InvitationView) => other.address.toLowerCase() === address.toLowerCase();
  const before = open.find(isSame) ?? null;
  const change = { from: before?.role ?? null, to: role };
  if (by === null || !mayChangeRole({ by, ...change })) return refuse('not_allowed');
  const others = open.filter((other) => !other.isExpired && !isSame(other));
  if (others.length >= MOST_OPEN) return refuse('too_many_open');
  if (!(await mayMail(pool, { address, byId }))) return refuse('too_many_mails');
  if (before) await close(em, before.id);
  const invitationId = newUuid();
  await rows(
    em,
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     values (?, ?, ?, ?, ?, gatehouse_now() + ? * interval '1 day')`,
    [invitationId, teamId, address, role, byId, VALID_DAYS],
  );
  await queueInvitationMail(em, { invitationId, address });
  return { invitationId };
}

async function mayMail(pool: pg.Pool, { address, byId }: { address: string; byId: string }) {
  const mayReach = await isWithinLimit(new Throttle(pool, TO_ADDRESS), address);
  const maySend = await isWithinLimit(new Throttle(pool, BY_INVITER), byId);
  return mayReach && maySend;
}

/** Decides against an acceptance at the same moment: one of the two finds nothing to do. */
async function close(em: EntityManager, invitationId: string): Promise<boolean> {
  const closed = await rows(
    em,
    `update team_invitation set withdrawn_at = gatehouse_now() where id = ? and ${OPEN} returning 1`,
    [invitationId],
  );
  return closed.length > 0;
}

export type InvitationView = {
  id: string;
  address: string;
  role: Role;
  expiresAt: Date;
  isExpired: boolean;
};

/** Open invitations, the newest first. */
export async function listInvitations(
  em: EntityManager,
  teamId: string,
): Promise<InvitationView[]> {
  const found = await rows<InvitationView>(
    em,
    `select id, address, role, expires_at as "expiresAt",
       expires_at <= gatehouse_now() as "isExpired"
     from team_invitation where team_id = ? and ${OPEN} order by created_at desc, id desc`,
    [teamId],
  );
  return found.map((row) => ({ ...row, expiresAt: new Date(row.expiresAt) }));
}

export async function withdrawInvitation(
  em: EntityManager,
  { teamId, byId, invitationId }: { teamId: string; byId: string; invitationId: string },
): Promise<{ role: Role } | Refusal<'not_allowed' | 'not_open'>> {
  const by = await lockTeam(em, { teamId, personId: byId });
  const open = await listInvitations(em, teamId);
  const from = open.find(({ id }) => id === invitationId)?.role;
  if (!from) return refuse('not_open');
  if (by === null || !mayChangeRole({ by, from, to: null })) return refuse('not_allowed');
  return (await close(em, invitationId)) ? { role: from } : refuse('not_open');
}

/** Withdraws a member's invitations to roles beyond the member's rights; under the team's lock. */
export async function closeInvitationsBy(
  em: EntityManager,
  { teamId, personId, by }: { teamId: string; personId: string; by: Role | null },
): Promise<void> {
  const allowed = ROLES.filter((to) => by !== null && mayChangeRole({ by, from: null, to }));
  await rows(
    em,
    `update team_invitation set withdrawn_at = gatehouse_now()
     where team_id = ? and invited_by = ? and ${OPEN} and not role = any(?::text[])`,
    [teamId, personId, toArrayParameter(allowed)],
  );
}

/**
 * Removes a deleted account's address from invitations of all teams, and withdraws the person's own
 * invitations.
 */
export async function forgetInvitations(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `with gone as (
       delete from team_invitation
       where lower(address) = (select lower(email) from person where id = ?) returning id)
     delete from mail_token where invitation_id in (select id from gone)`,
    [personId],
  );
  await rows(
    em,
    `update team_invitation set withdrawn_at = gatehouse_now() where invited_by = ? and ${OPEN}`,
    [personId],
  );
}

/** Removes one batch of invitations that ended long ago, with their addresses. */
export async function removeOldInvitations(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `with gone as (
       delete from team_invitation where id in (
         select id from team_invitation
         where expires_at <= gatehouse_now() - interval '7 days' limit 5000) returning id),
     mails as (delete from mail_token where invitation_id in (select id from gone))
     select from gone`,
  );
  return removed.length;
}
