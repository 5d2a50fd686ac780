import test from 'ava';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { teams } from './scene.ts';

const { api, roleOf, trailOf, newEmail } = teams;

type Browser = ReturnType<typeof api.browser>;
type Team = { path: string; id: string };

const invite = (by: Browser, { path }: Team, email: string, role = 'developer') =>
  by.submit('/console/roles', { action: `${path}/invitations`, fields: { email, role } });

const invitationsOf = ({ id }: Team) =>
  api.test.query<{ id: string; address: string; role: string; withdrawn_at: Date | null }>(
    'select * from team_invitation where team_id = $1 order by created_at desc, id desc',
    [id],
  );

const withdraw = (by: Browser, { path }: Team, id: string) =>
  by.submit('/console/roles', { action: `${path}/invitations/${id}/withdraw` });

const resend = (by: Browser, { path }: Team, id: string) =>
  by.submit('/console/roles', { action: `${path}/invitations/${id}/resend` });

const accept = (by: Browser, id: string) =>
  by.submit('/console/roles', { action: `/team-invitations/${id}` });

/** Somebody, and an invitation of theirs. */
async function invited(role = 'developer') {
  const team = await teams.team(['admin']);
  const { person, browser } = await teams.signedIn();
  await invite(team.members.owner.browser, team, person.email, role);
  const [invitation] = await invitationsOf(team);
  return { team, person, browser, id: invitation!.id };
}

test('an invitation is a row, a mail and a line of the trail that names no address', async (t) => {
  const team = await teams.team([]);
  const email = newEmail();
  const sent = await invite(team.members.owner.browser, team, email, 'finance');
  t.is(arrivalOf(sent), `${team.path} invitation_sent`);
  const [invitation] = await invitationsOf(team);
  t.like(invitation, { address: email, role: 'finance' });
  t.deepEqual(
    (await teams.mailsTo(email)).map(({ purpose }) => purpose),
    ['team_invitation'],
  );
  const trail = await trailOf(team.id);
  t.like(trail[0], { action: 'invitation.sent', subject: invitation!.id });
  t.false(JSON.stringify(trail).includes(email));
  const outbox = JSON.stringify(await api.test.query('select * from outbox'));
  t.false(outbox.includes(email));
});

test('inviting says the same whether or not the address has an account', async (t) => {
  const team = await teams.team([]);
  const { person } = await teams.signedIn();
  const by = team.members.owner.browser;
  // Mails that only an account gets must not show either.
  for (let n = 0; n < 6; n += 1) {
    await api.browser().submit('/forgot-password', {
      action: '/forgot-password',
      fields: { email: person.email },
    });
  }
  const answers = [await invite(by, team, person.email), await invite(by, team, newEmail())];
  for (const answer of answers) t.is(arrivalOf(answer), `${team.path} invitation_sent`);
  t.is((await invite(by, team, team.members.owner.person.email)).status, 303);
});

test('an owner invites to any role, an admin to all but owner and finance, the others to none', async (t) => {
  const team = await teams.wholeTeam();
  for (const [role, { browser }] of Object.entries(team.members)) {
    const isManager = role === 'owner' || role === 'admin';
    t.is((await invite(browser, team, newEmail(), 'admin')).status, isManager ? 303 : 403, role);
    for (const given of ['owner', 'finance']) {
      const sent = await invite(browser, team, newEmail(), given);
      t.is(sent.status, role === 'owner' ? 303 : 403, role);
    }
  }
  const asOwner = (await invitationsOf(team)).find(({ role }) => role === 'owner');
  t.is((await withdraw(team.members.admin.browser, team, asOwner!.id)).status, 403);
  for (const { address } of (await invitationsOf(team)).filter(({ role }) => role !== 'admin')) {
    const replaced = await invite(team.members.admin.browser, team, address, 'viewer');
    t.is(replaced.status, 403);
  }
});

test('whoever has the address, confirmed, joins with that role, whatever its case', async (t) => {
  const team = await teams.team([]);
  const { person, browser } = await teams.signedIn();
  await invite(team.members.owner.browser, team, person.email.toUpperCase(), 'finance');
  const [{ id } = { id: '' }] = await invitationsOf(team);
  const page = await (await browser.get(`/team-invitations/${id}`)).text();
  t.true(page.includes(team.name) && page.includes('finance'));
  t.is(await roleOf(team.id, person.id), null, 'looking changes nothing');
  const joined = await accept(browser, id);
  t.is(arrivalOf(joined), `${team.path} team_joined`);
  t.is(await roleOf(team.id, person.id), 'finance');
  t.like((await trailOf(team.id))[0], { action: 'member.joined', actor_id: person.id });
});

test('nobody else can accept an invitation, nor learns which team sent it', async (t) => {
  const { team, id } = await invited();
  const other = await teams.signedIn();
  for (const response of [
    await other.browser.get(`/team-invitations/${id}`),
    await accept(other.browser, id),
  ]) {
    t.is(response.status, 403);
    const page = await response.text();
    t.regex(page, /data-invitation="not_yours"/);
    t.false(page.includes(team.name));
  }
  t.is(await roleOf(team.id, other.person.id), null);
});

test('an address that is not confirmed opens nothing', async (t) => {
  const team = await teams.team([]);
  const { person, browser } = await teams.signedIn(
    await api.seed.person({ isEmailVerified: false }),
  );
  await invite(team.members.owner.browser, team, person.email);
  const [{ id } = { id: '' }] = await invitationsOf(team);
  const refused = await accept(browser, id);
  t.is(refused.status, 403);
  const page = await refused.text();
  t.regex(page, /data-invitation="not_confirmed"[\s\S]*\/settings\/security/);
  t.false(page.includes(team.name));
  t.is(await roleOf(team.id, person.id), null);
});

test('an invitation works once', async (t) => {
  const { team, person, browser, id } = await invited('viewer');
  const answers = await Promise.all([accept(browser, id), accept(browser, id)]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404]);
  const again = await accept(browser, id);
  t.is(again.status, 404);
  t.regex(await again.text(), /data-invitation="accepted"/);
  await team.members.owner.browser.submit('/console/roles', {
    action: `${team.path}/members/${person.id}/remove`,
  });
  t.is((await accept(browser, id)).status, 404, 'not even after having been removed');
});

test('an invitation works for 7 days', async (t) => {
  const { team, browser, person, id } = await invited();
  // As if it had been sent a minute less than 7 days ago, then a minute more.
  await api.test.query(
    `update team_invitation set expires_at = expires_at - interval '7 days' + interval '1 minute'
     where id = $1`,
    [id],
  );
  t.is((await browser.get(`/team-invitations/${id}`)).status, 200);
  await api.test.query(
    `update team_invitation set expires_at = expires_at - interval '2 minutes' where id = $1`,
    [id],
  );
  const refused = await accept(browser, id);
  t.is(refused.status, 404);
  t.regex(await refused.text(), /data-invitation="expired"/);
  t.is(await roleOf(team.id, person.id), null);
});

test('a new invitation replaces an old one to the same address', async (t) => {
  const { team, person, browser, id } = await invited('viewer');
  await invite(team.members.owner.browser, team, person.email.toUpperCase(), 'admin');
  const page = await (await browser.get(`/team-invitations/${id}`)).text();
  t.regex(page, /data-invitation="withdrawn"/);
  const [newer] = await invitationsOf(team);
  t.is((await accept(browser, id)).status, 404);
  t.is((await accept(browser, newer!.id)).status, 303);
  t.is(await roleOf(team.id, person.id), 'admin');
});

test('an invitation that is sent again is a new one for seven days, with a mail of its own', async (t) => {
  const { team, person, browser, id } = await invited('viewer');
  await api.test.query(
    `update team_invitation set expires_at = gatehouse_now() - interval '1 hour' where id = $1`,
    [id],
  );
  const sent = await resend(team.members.admin.browser, team, id);
  t.is(arrivalOf(sent), `${team.path} invitation_resent`);
  const [newer] = await invitationsOf(team);
  t.like(newer, { address: person.email, role: 'viewer' });
  t.like((await trailOf(team.id))[0], { action: 'invitation.resent', subject: newer!.id });
  t.is((await teams.mailsTo(person.email)).length, 2);
  t.is((await accept(browser, id)).status, 404);
  t.is((await accept(browser, newer!.id)).status, 303);
  t.is(await roleOf(team.id, person.id), 'viewer');
  t.is((await resend(team.members.admin.browser, team, newer!.id)).status, 404);
});

test('an invitation is sent again once for each press, by those who may give its role', async (t) => {
  const { team, person, id } = await invited('finance');
  const { owner, admin } = team.members;
  t.is((await resend(admin.browser, team, id)).status, 403);
  const stranger = await teams.team([]);
  t.is((await resend(stranger.members.owner.browser, stranger, id)).status, 404);
  const answers = await Promise.all([0, 1].map(() => resend(owner.browser, team, id)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404]);
  t.is((await teams.mailsTo(person.email)).length, 2);
});

test('an invitation sent again counts like every other', async (t) => {
  const { team, person } = await invited();
  const by = team.members.owner.browser;
  const sendAgain = async () => resend(by, team, (await invitationsOf(team))[0]!.id);
  for (let n = 0; n < 4; n += 1) t.is((await sendAgain()).status, 303);
  const refused = await sendAgain();
  t.is(refused.status, 422);
  t.regex(await refused.text(), /Try again in an hour/);
  t.is((await teams.mailsTo(person.email)).length, 5);
  t.is((await invitationsOf(team)).filter((each) => each.withdrawn_at === null).length, 1);
});

test('an invitation accepted and sent again at the same moment is accepted, or replaced', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const { team, browser, id } = await invited();
    const [joined, sent] = await Promise.all([
      accept(browser, id),
      resend(team.members.admin.browser, team, id),
    ]);
    t.is([joined, sent].filter(({ status }) => status === 303).length, 1);
  }
});

test('an invitation that was withdrawn cannot be accepted, and only its own team withdraws it', async (t) => {
  const { team, person, browser, id } = await invited();
  const stranger = await teams.team([]);
  t.is((await withdraw(stranger.members.owner.browser, stranger, id)).status, 404);
  t.is((await withdraw(stranger.members.owner.browser, team, id)).status, 404);
  const withdrawn = await withdraw(team.members.admin.browser, team, id);
  t.is(arrivalOf(withdrawn), `${team.path} invitation_withdrawn`);
  t.like((await trailOf(team.id))[0], { action: 'invitation.withdrawn', subject: id });
  const refused = await accept(browser, id);
  t.is(refused.status, 404);
  t.regex(await refused.text(), /data-invitation="withdrawn"/);
  t.is(await roleOf(team.id, person.id), null);
  t.is((await withdraw(team.members.admin.browser, team, id)).status, 404);
});

test('an invitation accepted and withdrawn at the same moment: one of the two', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const { team, person, browser, id } = await invited();
    const [joined, withdrawn] = await Promise.all([
      accept(browser, id),
      withdraw(team.members.admin.browser, team, id),
    ]);
    t.is([joined, withdrawn].filter(({ status }) => status === 303).length, 1);
    t.is((await roleOf(team.id, person.id)) !== null, joined.status === 303);
  }
});

test('a member who accepts keeps the role that they have', async (t) => {
  const { team, person, browser, id } = await invited('viewer');
  await api.test.query(`insert into team_member values ($1, $2, 'admin')`, [team.id, person.id]);
  t.is((await accept(browser, id)).status, 303);
  t.is(await roleOf(team.id, person.id), 'admin');
});

test('a deleted team takes its invitations along', async (t) => {
  const { team, person, browser, id } = await invited();
  const [joined, deleted] = await Promise.all([
    accept(browser, id),
    team.members.owner.browser.submit('/console/roles', { action: `${team.path}/delete` }),
  ]);
  t.is(deleted.status, 303);
  t.is((await roleOf(team.id, person.id)) !== null, joined.status === 303);
  const second = await invited();
  await second.team.members.owner.browser.submit('/console/roles', {
    action: `${second.team.path}/delete`,
  });
  t.is((await accept(second.browser, second.id)).status, 404);
});

test('a team has 20 open invitations at most; those that are over do not count', async (t) => {
  const team = await teams.team([]);
  await api.test.query(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     select gen_random_uuid(), $1, n || '@example.com', 'viewer', $2,
       gatehouse_now() + case when n = 0 then -1 else 1 end * interval '1 day'
     from generate_series(0, 19) n`,
    [team.id, team.members.owner.person.id],
  );
  const by = team.members.owner.browser;
  const both = [newEmail(), newEmail()];
  const answers = await Promise.all(both.map((email) => invite(by, team, email)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
  t.regex(await answers.find(({ status }) => status === 422)!.text(), /20 open invitations/);
  t.is((await invite(by, team, '1@example.com')).status, 303, 'one that is replaced makes room');
});

test('an address gets 5 invitations an hour, an inviter sends 20', async (t) => {
  const team = await teams.team([]);
  const by = team.members.owner.browser;
  const email = newEmail();
  for (let n = 0; n < 5; n += 1) t.is((await invite(by, team, email)).status, 303);
  const refused = await invite(by, team, email);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /Try again in an hour/);
  t.is((await teams.mailsTo(email)).length, 5);
  for (let n = 0; n < 14; n += 1) t.is((await invite(by, team, newEmail())).status, 303);
  t.is((await invite(by, team, newEmail())).status, 422);
});

test('what is no address is refused in place, with what was typed', async (t) => {
  const team = await teams.team([]);
  for (const email of ['', 'ada', 'ada@example', `${'x'.repeat(250)}@example.com`]) {
    const refused = await invite(team.members.owner.browser, team, email);
    t.is(refused.status, 422);
    t.regex(await refused.text(), /id="email-problem"/);
  }
  t.is((await invite(team.members.owner.browser, team, newEmail(), 'king')).status, 400);
  t.is((await invitationsOf(team)).length, 0);
});

test('an unknown invitation says so; without a session the way leads to sign-in and back', async (t) => {
  const { browser, person, id } = await invited();
  for (const unknown of ['nonsense', '0192f0c1-2b3c-7d4e-8f50-617283940a1b', '%00']) {
    const response = await browser.get(`/team-invitations/${unknown}`);
    t.is(response.status, 404, unknown);
    t.regex(await response.text(), /data-invitation="unknown"/);
  }
  const visitor = api.browser();
  const led = await visitor.get(`/team-invitations/${id}`);
  t.is(led.headers.get('location'), '/sign-in');
  t.is((await visitor.signIn(person)).headers.get('location'), `/team-invitations/${id}`);
});
