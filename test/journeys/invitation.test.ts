import test from 'ava';
import { createMailer } from '../../activities/clients/mail.ts';
import { queueInvitationMail } from '../../domain/identity/mail/mail.store.ts';
import { startMailbox } from '../../local/mailbox.ts';
import { resolvePorts } from '../../local/ports.ts';
import { eventually } from '../support/eventually.ts';
import { startTeams } from '../support/teams.ts';
import { openStage, type Stage } from '../support/worker.ts';

let teams: Awaited<ReturnType<typeof startTeams>>;
let stage: Stage;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;

test.before(async () => {
  teams = await startTeams();
  const { api, signer } = teams;
  const { smtpPort, pagePort } = await resolvePorts({ smtpPort: 0, pagePort: 0 });
  mailbox = await startMailbox({ smtpPort, pagePort, hosts: ['127.0.0.1'] });
  const url = `smtp://127.0.0.1:${smtpPort}`;
  const mailer = createMailer({ url, from: 'Gatehouse <no-reply@gatehouse.example>' });
  stage = await openStage({
    taskQueues: ['mail'],
    testDatabase: api.test,
    mailer,
    signer,
    baseUrl: api.url,
  });
  stage.closeLater(async () => mailer.close());
  stage.startRelay();
  await stage.startWorkers();
});
test.after.always(async () => {
  await stage?.close();
  await mailbox?.stop();
  await teams?.api.close();
});

const mailTo = async (address: string, subject: RegExp) =>
  (await eventually(
    () => mailbox.mails.find((mail) => mail.to[0] === address && subject.test(mail.subject)),
    (mail) => mail !== undefined,
  ))!;

const linkIn = (text: string) => /http:\/\/\S+/.exec(text)![0].replace(teams.api.url, '');

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
  const mail = await mailTo(email, /An invitation to the team/);
  t.regex(mail.text, new RegExp(`invites you to the team ${team.name} at Gatehouse, as developer`));
  const link = linkIn(mail.text);

  const browser = api.browser();
  t.is((await browser.get(link)).headers.get('location'), '/sign-in');
  const newcomer = await teams.signUp({ email }, browser);
  const confirm = linkIn((await mailTo(email, /confirm your e-mail/)).text);
  await teams.follow(browser, confirm);
  const signedIn = await browser.signIn(newcomer);
  t.is(signedIn.headers.get('location'), link);
  t.is((await browser.get(link)).status, 200);
  const joined = await browser.submit(link, { action: link });
  t.is(joined.headers.get('location'), `${team.path}?notice=team_joined`);
  t.regex(await (await browser.get(team.path)).text(), new RegExp(newcomer.handle));
});

test('an invitation that was withdrawn meanwhile is not sent, and no history quotes it', async (t) => {
  const { database, client } = stage;
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
  t.false(mailbox.mails.some(({ to }) => to[0] === address));
});
