import test from 'ava';
import { queueInvitationMail } from '../../domain/identity/mail/mail.repository.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { eventually } from '../support/eventually.ts';
import { arrivalOf } from '../support/http/arrival.ts';
import { startPostOffice } from '../support/identity/post-office.ts';
import { startTeams } from '../support/identity/teams.ts';

let people: Awaited<ReturnType<typeof startTeams>>;
let office: Awaited<ReturnType<typeof startPostOffice>>;

test.before(async () => {
  people = await startTeams();
  office = await startPostOffice(people);
});
test.after.always(async () => {
  await office?.close();
  await people?.api.close();
});

const readable = (history: string) =>
  history.replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );

test('a newcomer signs up, follows the link of the mail, and is at the checkout', async (t) => {
  const { api } = people;
  const seller = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, seller.email);
  await api.seed.payoutAccount(seller, { account });
  const product = await api.seed.product({ owner: seller });
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}`);
  const { email, response } = await people.signUp({}, browser);
  t.is(response.headers.get('location'), '/check-mail');
  t.is((await browser.get('/check-mail')).status, 200);

  const mail = (await office.mailTo(email, /confirm your email/i))!;
  t.is(mail.from, 'no-reply@gatehouse.example');
  const confirmed = await people.follow(browser, office.linkIn(mail.text));
  t.regex(confirmed.headers.get('location')!, new RegExp(`^/buy/${product.slug}\\?resume=`));
  const checkout = await browser.get(confirmed.headers.get('location')!);
  t.true(checkout.headers.get('location')!.startsWith(api.config.processor.apiUrl));
});

test('no address, token or text is in a workflow: not in its id, its input or its history', async (t) => {
  const { email, handle } = await people.signUp();
  const mail = (await office.mailTo(email, /confirm/i))!;
  const [row] = await people.mailsTo(email);
  const workflowId = `mail:${row!.id}`;
  const run = office.stage.client.workflow.getHandle(workflowId);
  t.is(await run.result(), 'sent');
  const history = JSON.stringify(await run.fetchHistory());
  const decoded = readable(history);
  const token = office.linkIn(mail.text).split('.').at(-1)!;
  for (const secret of [email, token, handle, mail.subject]) {
    t.false(history.includes(secret) || decoded.includes(secret), secret);
  }
  const outbox = await people.api.test.query('select * from outbox where workflow_id = $1', [
    workflowId,
  ]);
  const kept = await people.api.test.query('select * from mail_token');
  t.false(JSON.stringify([outbox, kept]).includes(token));
});

test('a sign-up with a known address gets the same answer, and its owner a mail instead', async (t) => {
  const person = await people.api.seed.person();
  const first = await people.signUp();
  const second = await people.signUp({ email: person.email.toUpperCase() });
  t.is(second.response.status, first.response.status);
  t.is(second.response.headers.get('location'), first.response.headers.get('location'));
  const mail = (await office.mailTo(person.email, /already have an account/))!;
  t.regex(mail.text, /\/forgot-password/);
  t.notRegex(mail.text, /token=/);
});

test('somebody without an account is invited, signs up, comes back and joins', async (t) => {
  const { api } = people;
  const team = await people.team([]);
  const email = people.newEmail();
  const invite = { action: `${team.path}/invitations`, fields: { email, role: 'developer' } };
  await team.members.owner.browser.submit('/console/roles', invite);
  const mail = await office.mailTo(email, /An invitation to a team/);
  t.regex(mail.text, new RegExp(`invited you to the team ${team.name} on Gatehouse as developer`));
  const link = office.linkIn(mail.text);

  const browser = api.browser();
  t.is((await browser.get(link)).headers.get('location'), '/sign-in');
  const registrant = await people.signUp({ email }, browser);
  const confirm = office.linkIn((await office.mailTo(email, /confirm your email/i)).text);
  const confirmed = await people.follow(browser, confirm);
  t.is(confirmed.headers.get('location'), link);
  t.is((await browser.get(link)).status, 200);
  const joined = await browser.submit(link, { action: link });
  t.is(arrivalOf(joined), `${team.path} team_joined`);
  t.regex(await (await browser.get(team.path)).text(), new RegExp(registrant.handle));
});

test('an invitation that was withdrawn meanwhile is not sent, and no history quotes it', async (t) => {
  const { database, client } = office.stage;
  const team = await people.team([]);
  const address = people.newEmail();
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
