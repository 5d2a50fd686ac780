import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { holdRevoked } from '../identity/operators/builder.repository.ts';
import { closeInvitationsBy } from './invitation.repository.ts';
import { mayChangeRole, type Role } from './permissions.ts';
import { TeamMember } from './team.entity.ts';
import { lockTeam } from './team.repository.ts';

/** Owners first, then by the time of joining. */
export async function listMembers(em: EntityManager, teamId: string) {
  const members = await kysely(em)
    .selectFrom('teamMember as member')
    .innerJoin('person', 'person.id', 'member.personId')
    .select(['person.id as personId', 'person.handle', 'person.displayName', 'member.role'])
    .select('member.createdAt as since')
    .where('member.teamId', '=', teamId)
    .orderBy('member.createdAt')
    .orderBy('person.id')
    .execute();
  const isOwner = ({ role }: { role: Role }) => role === 'owner';
  return [...members.filter(isOwner), ...members.filter((member) => !isOwner(member))];
}

export type MemberView = Awaited<ReturnType<typeof listMembers>>[number];

export type ChangeOfMember = {
  teamId: string;
  byId: string;
  personId: string;
  /** Is null to end the membership. */
  to: Role | null;
};

export type MemberRefusal =
  | 'not_allowed'
  | 'not_a_member'
  | 'last_owner'
  | 'revoked'
  | 'giver_revoked';

/**
 * Changes or ends a membership under the team's lock: of two owners who step down at once, the
 * second finds that it is the last. Everybody but the last owner may leave. A revoked builder makes
 * no owners and becomes none, so a team's suspension is not undone from within.
 */
export async function changeMember(
  em: EntityManager,
  { teamId, byId, personId, to }: ChangeOfMember,
): Promise<{ from: Role } | Refusal<MemberRefusal>> {
  const by = await lockTeam(em, { teamId, personId: byId });
  if (by === null) return refuse('not_allowed');
  const members = await em.find(TeamMember, { teamId });
  const member = members.find((each) => each.personId === personId);
  if (!member) return refuse('not_a_member');
  const from = member.role;
  const isLeaving = byId === personId && to === null;
  if (!isLeaving && !mayChangeRole({ by, from, to })) return refuse('not_allowed');
  const owners = members.filter(({ role }) => role === 'owner').length;
  if (from === 'owner' && to !== 'owner' && owners === 1) return refuse('last_owner');
  if (from !== 'owner' && to === 'owner') {
    const revoked = await holdRevoked(em, [byId, personId]);
    if (revoked.has(personId)) return refuse('revoked');
    if (revoked.has(byId)) return refuse('giver_revoked');
  }
  if (to === null) em.remove(member);
  else member.role = to;
  await em.flush(); // the mails to the owners are addressed next
  await closeInvitationsBy(em, { teamId, personId, by: to });
  return { from };
}
