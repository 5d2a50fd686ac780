import test from 'ava';
import { startTeams } from '../../../support/identity/teams.ts';

const teams = await startTeams();
const { api, roleOf, newEmail } = teams;
test.after.always(() => api.close());

type Member = Awaited<ReturnType<typeof teams.signedIn>>;
type Team = Awaited<ReturnType<typeof teams.wholeTeam>>;

const invite = ({ browser }: Member, { path }: Team, email: string, role: string) =>
  browser.submit('/console/roles', { action: `${path}/invitations`, fields: { email, role } });

const change = ({ path, members }: Team, of: string, fields = {}) =>
  members.owner.browser.submit('/console/roles', { action: `${path}/members/${of}`, fields });

const openOf = ({ person }: Member) =>
  api.test.query<{ id: string; role: string }>(
    `select id, role from team_invitation
     where invited_by = $1 and withdrawn_at is null and accepted_at is null order by role`,
    [person.id],
  );

async function addOwner({ id }: Team): Promise<Member> {
  const owner = await teams.signedIn();
  await api.test.query(`insert into team_member values ($1, $2, 'owner')`, [id, owner.person.id]);
  return owner;
}

test('whoever is removed does not come back by an invitation of their own', async (t) => {
  const team = await teams.wholeTeam();
  const { admin } = team.members;
  const friend = await teams.signedIn();
  await invite(admin, team, friend.person.email, 'admin');
  const [open] = await openOf(admin);
  t.is((await change(team, `${admin.person.id}/remove`)).status, 303);
  const action = `/team-invitations/${open!.id}`;
  const refused = await friend.browser.submit('/console/roles', { action });
  t.is(refused.status, 404);
  t.regex(await refused.text(), /data-invitation="withdrawn"/);
  t.is(await roleOf(team.id, friend.person.id), null);
});

test('whoever is an owner no longer keeps the invitations that an admin may send', async (t) => {
  const team = await teams.wholeTeam();
  const second = await addOwner(team);
  for (const role of ['owner', 'viewer']) await invite(second, team, newEmail(), role);
  t.is((await change(team, second.person.id, { role: 'admin' })).status, 303);
  const roles = async () => (await openOf(second)).map(({ role }) => role);
  t.deepEqual(await roles(), ['viewer']);
  t.is((await change(team, second.person.id, { role: 'finance' })).status, 303);
  t.deepEqual(await roles(), []);
});

test('a deleted account leaves no invitation of its own behind', async (t) => {
  const team = await teams.wholeTeam();
  const second = await addOwner(team);
  await invite(second, team, newEmail(), 'viewer');
  const deleted = await second.browser.submit('/settings/profile', {
    action: '/settings/delete-account',
    fields: { password: second.person.password },
  });
  t.is(deleted.status, 303);
  t.deepEqual(await openOf(second), []);
});
