import test from 'ava';
import { queueInvitationMail } from '../../domain/identity/mail/mail.repository.ts';
import { eventually } from '../support/eventually.ts';
import { startTeams } from '../support/identity/teams.ts';
import { startPostOffice } from '../support/identity/post-office.ts';
import { arrivalOf } from '../support/http/arrival.ts';

let teams: Awaited<ReturnType<typeof startTeams>>;
let office: Awaited<ReturnType<typeof startPostOffice>>;

test.before(async () => {
  teams = await startTeams();
  office = await startPostOffice(teams);
});
test.after.always(async () => {
  await office?.close();
  await teams?.api.close();
});

const readable = (history: string) =>
  history.replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );

test('somebody without an account is invited, signs up, comes back and joins', async (t) => {
  const { api } = teams;
  const team = await teams.team([]);
  const email = teams.newEmail();
  const invite = { action: `${team.path}/invitations`, fields: { email, role: 'developer' } };
  await team.members.owner.browser.submit('/console/roles', invite);
  const mail = await office.mailTo(email, /An invitation to the team/);
  t.regex(mail.text, new RegExp(`invited you to the team ${team.name} on Gatehouse as developer`));
  const link = office.linkIn(mail.text);

  const browser = api.browser();
  t.is((await browser.get(link)).headers.get('location'), '/sign-in');
  const registrant = await teams.signUp({ email }, browser);
  const confirm = office.linkIn((await office.mailTo(email, /confirm your email/i)).text);
  await teams.follow(browser, confirm);
  const signedIn = await browser.signIn(registrant);
  t.is(signedIn.headers.get('location'), link);
  t.is((await browser.get(link)).status, 200);
  const joined = await browser.submit(link, { action: link });
  t.is(arrivalOf(joined), `${team.path} team_joined`);
  t.regex(await (await browser.get(team.path)).text(), new RegExp(registrant.handle));
});

test('an invitation that was withdrawn meanwhile is not sent, and no history quotes it', async (t) => {
  const { database, client } = office.stage;
  const team = await teams.team([]);
  const address = teams.newEmail();
  const [mail] = await database.transaction(async (em) => {
    const [invitation] = (await em.execute(
      `insert into team_invitation (id, team_id, address, role, invited_by, expires_at, withdrawn_at)
       values (gen_random_uuid(), ?, ?, 'viewer', ?, now() + interval '1 day', now()) returning id`,
      [team.id, address, team.members.owner.person.id],
    )) as { id: string }[];
    await queueInvitationMail(em, { invitationId: invitation!.id, address });
    return (await em.execute('select id from mail_token where address = ?', [address])) as {
      id: string;
    }[];
  });
  const run = client.workflow.getHandle(`mail:${mail!.id}`);
  const isThere = () => run.describe().then(Boolean, () => false);
  await eventually(isThere, Boolean);
  t.is(await run.result(), 'expired');
  const history = readable(JSON.stringify(await run.fetchHistory()));
  t.false(history.includes(address) || history.includes(team.name));
  t.false(office.mailbox.mails.some(({ to }) => to[0] === address));
});
