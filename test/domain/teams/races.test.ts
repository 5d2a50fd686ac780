import test from 'ava';
import { createProduct } from '../../../domain/catalog/new-product.command.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { acceptInvitation } from '../../../domain/teams/accept-invitation.repository.ts';
import { withdrawInvitation } from '../../../domain/teams/invitation.repository.ts';
import { changeMember } from '../../../domain/teams/member.repository.ts';
import { eventually } from '../../support/eventually.ts';
import { isSomebodyWaiting } from '../../support/engines/database.ts';
import { startTeams } from '../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
const { transaction } = api.database;
test.after.always(() => api.close());

type Signed = Awaited<ReturnType<typeof teams.signedIn>>;

const TIMEOUT_MS = 20_000;

const isWaiting = () => isSomebodyWaiting(api.test);

/** The second begins while the first has not been committed, and is seen to wait for it. */
async function overlap<First, Second>(
  first: (em: EntityManager) => Promise<First>,
  second: () => Promise<Second>,
): Promise<{ first: First; second: Second }> {
  let answer: Promise<Second> | undefined;
  const done = await transaction(async (em) => {
    const result = await first(em);
    answer = second();
    await eventually(isWaiting, Boolean, TIMEOUT_MS);
    return result;
  });
  return { first: done, second: await answer! };
}

const deleteAccount = ({ browser, person }: Signed) =>
  browser.submit('/settings/profile', {
    action: '/settings/delete-account',
    fields: { password: person.password },
  });

const ownersOf = async (teamId: string) =>
  (
    await api.test.query(
      `select 1 from team_member m join person p on p.id = m.person_id and p.deleted_at is null
       where m.team_id = $1 and m.role = 'owner'`,
      [teamId],
    )
  ).length;

async function twoOwners() {
  const team = await teams.team(['admin']);
  await api.test.query(`update team_member set role = 'owner' where team_id = $1`, [team.id]);
  return { ...team, one: team.members.owner, other: team.members.admin };
}

/** Somebody, and an invitation to their address. */
async function invited(role: string) {
  const { members, id: teamId } = await teams.team([]);
  const signed = await teams.signedIn();
  const invitationId = newUuid();
  await api.test.query(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, now() + interval '1 day')`,
    [invitationId, teamId, signed.person.email, role, members.owner.person.id],
  );
  return { ...signed, teamId, invitationId, ownerId: members.owner.person.id };
}

test.serial('an account is not deleted while it is the only owner of a team', async (t) => {
  const { one, other, id } = await twoOwners();
  t.is((await deleteAccount(one)).status, 303);
  t.is(await teams.roleOf(id, one.person.id), null);
  t.is((await deleteAccount(other)).status, 409);
  t.is(await ownersOf(id), 1);
  await api.test.query('update team set deleted_at = now() where id = $1', [id]);
  t.is((await deleteAccount(other)).status, 303, 'a deleted team needs nobody');
});

for (const to of [null, 'admin'] as const) {
  const what = to === null ? 'leave' : 'step down';
  test.serial(`of two owners who ${what} at once the second is refused`, async (t) => {
    const { one, other, id: teamId } = await twoOwners();
    const give = ({ person }: Signed) => ({ teamId, byId: person.id, personId: person.id, to });
    const { first, second } = await overlap(
      (em) => changeMember(em, give(one)),
      () => transaction((em) => changeMember(em, give(other))),
    );
    t.deepEqual(first, { from: 'owner' });
    t.deepEqual(second, { refused: 'last_owner' });
    t.is(await ownersOf(teamId), 1);
  });
}

test.serial('of an owner who leaves and one who deletes the account one is refused', async (t) => {
  const { one, other, id: teamId } = await twoOwners();
  const personId = one.person.id;
  const { second } = await overlap(
    (em) => changeMember(em, { teamId, byId: personId, personId, to: null }),
    () => deleteAccount(other),
  );
  t.is(second.status, 409);
  t.is(await ownersOf(teamId), 1);
});

test.serial('ownership that is handed to an account while it is deleted stays there', async (t) => {
  const { members, id: teamId } = await teams.team(['admin']);
  const byId = members.owner.person.id;
  const { second } = await overlap(
    async (em) => {
      const change = { teamId, byId };
      await changeMember(em, { ...change, personId: members.admin.person.id, to: 'owner' });
      await changeMember(em, { ...change, personId: byId, to: 'admin' });
    },
    () => deleteAccount(members.admin),
  );
  t.is(second.status, 409);
  t.is(await ownersOf(teamId), 1);
});

test.serial(
  'an account that joins a team while it is deleted leaves no member behind',
  async (t) => {
    const { browser, person, invitationId, teamId } = await invited('viewer');
    const personId = person.id;
    const { first, second } = await overlap(
      (em) => acceptInvitation(em, { invitationId, teamId, personId }),
      () => deleteAccount({ browser, person }),
    );
    t.false(isRefusal(first));
    t.is(second.status, 303);
    t.is(await teams.roleOf(teamId, personId), null);
  },
);

test.serial('an account is not deleted while a product of its own is made', async (t) => {
  const { browser, person } = await teams.signedIn();
  const product = { slug: 'just-made', name: 'P', tagline: 'T', isProposed: false, teamId: null };
  const by = { personId: person.id, ip: null };
  const { second } = await overlap(
    (em) => createProduct(em, { ...product, by }),
    () => deleteAccount({ browser, person }),
  );
  t.is(second.status, 409);
});

test.serial('an invitation that is withdrawn while it is accepted is not accepted', async (t) => {
  const { person, invitationId, teamId, ownerId } = await invited('viewer');
  const personId = person.id;
  const accept = (em: EntityManager) => acceptInvitation(em, { invitationId, teamId, personId });
  const withdraw = (em: EntityManager) =>
    withdrawInvitation(em, { teamId, byId: ownerId, invitationId });
  const { first, second } = await overlap(withdraw, () => transaction(accept));
  t.deepEqual(first, { role: 'viewer' });
  t.deepEqual(second, { refused: 'not_open' });
  t.is(await teams.roleOf(teamId, personId), null);
});

test.serial('a role that was taken away decides nothing any more', async (t) => {
  const { members, id: teamId } = await teams.team(['admin', 'viewer']);
  const byId = members.admin.person.id;
  const ownerId = members.owner.person.id;
  const personId = members.viewer.person.id;
  const { second } = await overlap(
    (em) => changeMember(em, { teamId, byId: ownerId, personId: byId, to: null }),
    () => transaction((em) => changeMember(em, { teamId, byId, personId, to: 'developer' })),
  );
  t.deepEqual(second, { refused: 'not_allowed' });
});

test.serial('an account takes its address in invitations along', async (t) => {
  const { browser, person, teamId } = await invited('viewer');
  await api.test.query('update team_invitation set address = upper(address) where team_id = $1', [
    teamId,
  ]);
  t.is((await deleteAccount({ browser, person })).status, 303);
  const kept = JSON.stringify(await api.test.query('select * from team_invitation'));
  t.false(kept.toLowerCase().includes(person.email));
});
