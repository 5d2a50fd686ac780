import type { EntityManager } from '../../platform/database/database.ts';
import { lower, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { holdRevoked } from '../identity/operators/builder.repository.ts';
import { mayChangeRole, type Role } from './permissions.ts';
import { findTeamOf, lockTeam } from './team.repository.ts';

export async function findInvitation(em: EntityManager, id: string) {
  const found = await kysely(em)
    .selectFrom('teamInvitation as invitation')
    .innerJoin('team', 'team.id', 'invitation.teamId')
    .innerJoin('person as inviter', 'inviter.id', 'invitation.invitedBy')
    .select(['invitation.id', 'invitation.teamId', 'invitation.address', 'invitation.role'])
    .select(['team.name as teamName', 'inviter.displayName as inviterName'])
    .select(({ eb }) =>
      eb
        .case()
        .when('invitation.acceptedAt', 'is not', null)
        .then('accepted' as const)
        .when(eb.or([eb('withdrawnAt', 'is not', null), eb('team.deletedAt', 'is not', null)]))
        .then('withdrawn' as const)
        .when('invitation.expiresAt', '<=', NOW)
        .then('expired' as const)
        .else('open' as const)
        .end()
        .as('state'),
    )
    .where('invitation.id', '=', id)
    .executeTakeFirst();
  return found ?? null;
}

export type Invitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>;

export type AcceptanceRefusal = 'not_yours' | 'not_open' | 'outdated' | 'revoked';

type Answer = { invitationId: string; teamId: string; personId: string };

/**
 * Takes the role, once, and only for the person whose confirmed address was invited. A member keeps
 * the current role. The inviter must still be able to give the role, and a revoked builder neither
 * makes nor becomes an owner.
 */
export async function acceptInvitation(
  em: EntityManager,
  { invitationId, teamId, personId }: Answer,
): Promise<{ role: Role; isNew: boolean } | Refusal<AcceptanceRefusal>> {
  await lockTeam(em, { teamId, personId });
  // Shared, and after the team as everywhere: deleting the account waits, and then sees the
  // membership.
  const person = await kysely(em)
    .selectFrom('person')
    .innerJoin('teamInvitation as invitation', (join) =>
      join.on(lower('invitation.address'), '=', lower('person.email')),
    )
    .select(['person.id', 'invitation.role', 'invitation.invitedBy'])
    .where('person.id', '=', personId)
    .where('invitation.id', '=', invitationId)
    .where('person.emailVerifiedAt', 'is not', null)
    .where('person.deletedAt', 'is', null)
    .forShare('person')
    .executeTakeFirst();
  if (!person) return refuse('not_yours');
  const refused = await decideOnRole(em, { ...person, teamId });
  if (refused) return refused;
  const taken = await kysely(em)
    .updateTable('teamInvitation')
    .set({ acceptedAt: NOW })
    .where('id', '=', invitationId)
    .where('teamId', '=', teamId)
    .where('acceptedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '>', NOW)
    .returning('role')
    .executeTakeFirst();
  if (!taken) return refuse('not_open');
  const joined = await kysely(em)
    .insertInto('teamMember')
    .values({ teamId, personId, role: taken.role })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return { role: taken.role, isNew: joined.numInsertedOrUpdatedRows === 1n };
}

type Invited = { teamId: string; id: string; role: Role; invitedBy: string };

async function decideOnRole(
  em: EntityManager,
  { teamId, id, role: to, invitedBy }: Invited,
): Promise<Refusal<'outdated' | 'revoked'> | null> {
  const inviter = await findTeamOf(em, { teamId, personId: invitedBy });
  const mayGive = inviter !== null && mayChangeRole({ by: inviter.role, from: null, to });
  if (!mayGive) return refuse('outdated');
  const revoked = to === 'owner' ? await holdRevoked(em, [id, invitedBy]) : new Set();
  if (revoked.has(id)) return refuse('revoked');
  return revoked.has(invitedBy) ? refuse('outdated') : null;
}
