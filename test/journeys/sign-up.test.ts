import test from 'ava';
import { PASSWORD, startPeople, type People } from '../support/identity/people.ts';
import { startPostOffice } from '../support/identity/post-office.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { arrivalOf } from '../support/http/arrival.ts';

let people: People;
let office: Awaited<ReturnType<typeof startPostOffice>>;

test.before(async () => {
  people = await startPeople();
  office = await startPostOffice(people);
});
test.after.always(async () => {
  await office?.close();
  await people?.api.close();
});

test('a newcomer signs up, follows the link of the mail, signs in and buys', async (t) => {
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
  t.is(arrivalOf(confirmed), '/sign-in email_verified');
  const signedIn = await browser.signIn({ email, password: PASSWORD });
  t.regex(signedIn.headers.get('location')!, new RegExp(`^/buy/${product.slug}\\?resume=`));
  const checkout = await browser.get(signedIn.headers.get('location')!);
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
  const decoded = history.replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
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
