import type pg from 'pg';
import { isWithinLimit } from '../limits/throttle.repository.ts';
import { Throttle, type ThrottledWork } from '../limits/throttle.repository.ts';
import { holdRevoked } from '../identity/operators/builder.repository.ts';
import { MailToken } from '../identity/mail/mail-token.entity.ts';
import { queueInvitationMail } from '../identity/mail/mail.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, CLOCK, fromNow, lower, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { mayChangeRole, ROLES, type Role } from './permissions.ts';
import { TeamInvitation } from './team.entity.ts';
import { lockTeam } from './team.repository.ts';

const VALID = '7 days';
const MOST_OPEN = 20;
// Separate counters: those of accounts would tell that an account exists.
const TO_ADDRESS = { name: 'invitation-address', most: 5, minutes: 60 };
const BY_INVITER = { name: 'invitation-inviter', most: 20, minutes: 60 };

const OPEN = { acceptedAt: null, withdrawnAt: null };
const WITHDRAWN = { withdrawnAt: CLOCK };

export type NewInvitation = { teamId: string; byId: string; address: string; role: Role };

export type InvitationRefusal = 'not_allowed' | 'revoked' | 'too_many_open' | 'too_many_mails';

/**
 * Invites an address to a role and mails it; an earlier invitation of the address is replaced. A
 * revoked builder makes no owners. No
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
  const isRevoked = role === 'owner' && (await holdRevoked(em, [byId])).size > 0;
  if (isRevoked) return refuse('revoked');
  const others = open.filter((other) => !other.isExpired && !isSame(other));
  if (others.length >= MOST_OPEN) return refuse('too_many_open');
  if (!(await mayMail(pool, { address, byId }))) return refuse('too_many_mails');
  if (before) await close(em, before.id);
  const invitationId = newUuid();
  await kysely(em)
    .insertInto('teamInvitation')
    .values({ id: invitationId, teamId, address, role, invitedBy: byId, expiresAt: fromNow(VALID) })
    .execute();
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
  return (await em.nativeUpdate(TeamInvitation, { id: invitationId, ...OPEN }, WITHDRAWN)) === 1;
}

/** Open invitations, the newest first. */
export async function listInvitations(em: EntityManager, teamId: string) {
  return kysely(em)
    .selectFrom('teamInvitation')
    .select(['id', 'address', 'role', 'expiresAt'])
    .select(({ eb }) => eb('expiresAt', '<=', NOW).$castTo<boolean>().as('isExpired'))
    .where('teamId', '=', teamId)
    .where('acceptedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export type InvitationView = Awaited<ReturnType<typeof listInvitations>>[number];

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
  const beyond = { teamId, invitedBy: personId, role: { $nin: allowed } };
  await em.nativeUpdate(TeamInvitation, { ...beyond, ...OPEN }, WITHDRAWN);
}

/**
 * Removes a deleted account's address from invitations of all teams, and withdraws the person's own
 * invitations.
 */
export async function forgetInvitations(em: EntityManager, personId: string): Promise<void> {
  const invitations = await kysely(em)
    .deleteFrom('teamInvitation')
    .where(lower('address'), '=', ({ selectFrom }) =>
      selectFrom('person').select(lower('email').as('address')).where('id', '=', personId),
    )
    .returning('id')
    .execute();
  await forgetMails(em, invitations);
  await em.nativeUpdate(TeamInvitation, { invitedBy: personId, ...OPEN }, WITHDRAWN);
}

/** Removes one batch of invitations that ended long ago, with their addresses. */
export async function removeOldInvitations(em: EntityManager): Promise<number> {
  const invitations = await kysely(em)
    .deleteFrom('teamInvitation')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('teamInvitation')
        .select('id')
        .where('expiresAt', '<=', ago('7 days'))
        .limit(5_000),
    )
    .returning('id')
    .execute();
  await forgetMails(em, invitations);
  return invitations.length;
}

async function forgetMails(em: EntityManager, invitations: { id: string }[]): Promise<void> {
  const invitationId = { $in: invitations.map(({ id }) => id) };
  await em.nativeDelete(MailToken, { invitationId });
}
