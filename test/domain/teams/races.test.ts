import test from 'ava';
import { createProduct } from '../../../domain/catalog/new-product.store.ts';
import { newUuid } from '../../../domain/platform/ids.ts';
import { isRefusal } from '../../../domain/platform/refusal.ts';
import { acceptInvitation } from '../../../domain/teams/acceptance.store.ts';
import { changeMember } from '../../../domain/teams/member.store.ts';
import { startTeams } from '../../support/teams.ts';

const teams = await startTeams();
const { api } = teams;
const { transaction } = api.database;
test.after.always(() => api.close());

type Signed = Awaited<ReturnType<typeof teams.signedIn>>;

const ROUNDS = 4;

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

test('an account is not deleted while it is the only owner of a team', async (t) => {
  const { members, id } = await teams.team(['admin']);
  t.is((await deleteAccount(members.owner)).status, 409);
  t.is(await ownersOf(id), 1);
  await api.test.query(`update team_member set role = 'owner' where team_id = $1`, [id]);
  t.is((await deleteAccount(members.owner)).status, 303);
  t.is(await teams.roleOf(id, members.owner.person.id), null);
  t.is((await deleteAccount(members.admin)).status, 409);
  await api.test.query('update team set deleted_at = now() where id = $1', [id]);
  t.is((await deleteAccount(members.admin)).status, 303, 'a deleted team needs nobody');
});

test('of two owners who delete their accounts at once one is refused', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { members, id } = await teams.team(['admin']);
    await api.test.query(`update team_member set role = 'owner' where team_id = $1`, [id]);
    const answers = await Promise.all(Object.values(members).map(deleteAccount));
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 409]);
    t.is(await ownersOf(id), 1);
  }
});

test('ownership that is handed to an account while it is deleted is not lost', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { members, id, path } = await teams.team(['admin']);
    const [handed, deleted] = await Promise.all([
      members.owner.browser.submit('/console/roles', {
        action: `${path}/members/${members.admin.person.id}/owner`,
        fields: { afterwards: 'step_down' },
      }),
      deleteAccount(members.admin),
    ]);
    t.is(handed.status === 303, deleted.status === 409);
    t.true([303, 404].includes(handed.status) && [303, 409].includes(deleted.status));
    t.is(await ownersOf(id), 1);
  }
});

test('an account that joins a team or makes a product while it is deleted leaves neither behind', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { members, id: teamId } = await teams.team([]);
    const leaver = await teams.signedIn();
    const invitationId = newUuid();
    await api.test.query(
      `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
       values ($1, $2, $3, 'owner', $4, now() + interval '1 day')`,
      [invitationId, teamId, leaver.person.email, members.owner.person.id],
    );
    const personId = leaver.person.id;
    const product = { name: 'P', tagline: 'T', byId: personId, teamId: null };
    await Promise.all([
      deleteAccount(leaver),
      transaction((em) => acceptInvitation(em, { invitationId, teamId, personId })),
      transaction((em) => createProduct(em, { ...product, slug: `leaver-${round}` })),
    ]);
    const left = await api.test.query(
      `select 1 from person p where p.id = $1 and p.deleted_at is not null and (
         exists (select 1 from team_member where person_id = p.id)
         or exists (select 1 from product where owner_person_id = p.id))`,
      [personId],
    );
    t.is(left.length, 0);
  }
});

test('a role that was taken away decides nothing any more, also while the page is open', async (t) => {
  const { members, id: teamId } = await teams.team(['admin', 'viewer']);
  const byId = members.admin.person.id;
  await api.test.query('delete from team_member where person_id = $1', [byId]);
  const personId = members.viewer.person.id;
  const done = await transaction((em) =>
    changeMember(em, { teamId, byId, personId, to: 'developer' }),
  );
  t.true(isRefusal(done) && done.refused === 'not_allowed');
});

test('an account takes its address in invitations along', async (t) => {
  const team = await teams.team([]);
  const { browser, person } = await teams.signedIn();
  await team.members.owner.browser.submit('/console/roles', {
    action: `${team.path}/invitations`,
    fields: { email: person.email.toUpperCase(), role: 'viewer' },
  });
  t.is((await deleteAccount({ browser, person })).status, 303);
  const kept = JSON.stringify([
    await api.test.query('select * from team_invitation where team_id = $1', [team.id]),
    await api.test.query('select * from mail_token'),
  ]);
  t.false(kept.toLowerCase().includes(person.email));
});
