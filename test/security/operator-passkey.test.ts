// What the password of an operator opens, and what it does not.
import test from 'ava';
import { ROUTES } from '../../api/routes.ts';
import { runAdmin } from '../support/identity/admin.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { addPasskey, confirmBy } from '../support/identity/proving.ts';

const limits = { account_failures: 10_000, address_failures: 10_000 };
const people = await startPeople({
  host: 'localhost',
  limits,
  config: { isOperatorPasskeyRequired: true },
});
const { api } = people;
test.after.always(() => api.close());

const SECURITY = '/settings/security';
const admin = (command: string) => runAdmin(command.split(' '), { DATABASE_URL: api.test.url });

/** An operator with a passkey, who has then signed in with the password. */
async function withPasskey() {
  const person = await api.seed.person();
  const { browser } = await people.signedIn(person);
  const authenticator = await addPasskey(api, { browser, person });
  await api.test.query('update person set is_operator = true where id = $1', [person.id]);
  return { person, browser, authenticator };
}

type Operator = Awaited<ReturnType<typeof withPasskey>>;

async function confirm({ browser, authenticator }: Operator, counter?: number) {
  const given = { browser, authenticator, ...(counter ? { counter } : {}) };
  const response = await confirmBy(api, given);
  return browser.submit('/', { action: '/confirm/passkey', fields: { response } });
}

test.serial("an operator's password alone opens no operator page", async (t) => {
  const { browser } = await withPasskey();
  for (const { method, path } of ROUTES.filter(({ credential }) => credential === 'operator')) {
    const action = path.replaceAll(/:\w+/g, 'anything');
    const answer =
      method === 'GET' ? await browser.get(action) : await browser.submit('/', { action });
    t.is(answer.status, 403, `${method} ${path}`);
    t.regex(await answer.text(), /Operators need a passkey/);
  }
});

test.serial("an operator's password alone opens no product of others", async (t) => {
  const operator = await withPasskey();
  const product = await api.seed.product();
  const path = `/console/products/${product.slug}`;
  t.is((await operator.browser.get(path)).status, 404);
  await confirm(operator);
  t.is((await operator.browser.get(path)).status, 200);
});

test.serial('a passkey opens the page that the operator came for', async (t) => {
  const operator = await withPasskey();
  const asked = await (await operator.browser.get('/operator/money')).text();
  t.regex(asked, /data-passkey="get"/);
  const done = await confirm(operator);
  t.is(done.status, 303);
  t.is(done.headers.get('location'), '/operator/money');
  t.is((await operator.browser.get('/operator/money')).status, 200);
});

test.serial('no passkey of another person opens an operator page', async (t) => {
  const operator = await withPasskey();
  const stranger = await withPasskey();
  const { authenticator } = stranger;
  t.is((await confirm({ ...operator, authenticator })).status, 422);
  t.is((await operator.browser.get('/operator')).status, 403);
});

test.serial('the cookie from before the passkey opens no operator page', async (t) => {
  const operator = await withPasskey();
  const thief = api.browser();
  thief.cookies.set('gatehouse_session', operator.browser.cookies.get('gatehouse_session')!);
  await confirm(operator);
  t.is((await operator.browser.get('/operator')).status, 200);
  t.is((await thief.get('/operator')).status, 403);
});

test.serial('a new password keeps the session of the passkey, and gives none', async (t) => {
  const operator = await withPasskey();
  const { browser, person } = operator;
  const change = (from: string, to: string) =>
    browser.submit(SECURITY, {
      action: `${SECURITY}/password`,
      fields: { old_password: from, new_password: to },
    });
  t.is((await change(person.password, 'another quiet lamp')).status, 303);
  t.is((await browser.get('/operator')).status, 403);
  await confirm(operator);
  t.is((await change('another quiet lamp', 'one more quiet lamp')).status, 303);
  t.is((await browser.get('/operator')).status, 200);
});

test.serial("an operator's password alone adds and removes no passkey", async (t) => {
  const operator = await withPasskey();
  const { browser, person } = operator;
  await api.test.query(
    `update person set passkey_enrolment_until = now() + interval '1 day' where id = $1`,
    [person.id],
  );
  const ask = () =>
    browser.submit(SECURITY, {
      action: `${SECURITY}/passkeys/options`,
      fields: { name: 'Key', password: person.password },
    });
  const [{ id } = { id: '' }] = await api.test.query<{ id: string }>(
    'select id from passkey where person_id = $1',
    [person.id],
  );
  const remove = () =>
    browser.submit(SECURITY, {
      action: `${SECURITY}/passkeys/remove`,
      fields: { passkey_id: id, password: person.password },
    });
  t.is((await ask()).status, 403);
  t.is((await remove()).status, 403);
  await confirm(operator);
  t.is((await ask()).status, 200);
  t.is((await remove()).status, 303);
});

test.serial('a passkey that was asked for in time is not added after the time', async (t) => {
  const { browser, person } = await people.signedIn();
  await api.test.query(
    `update person set is_operator = true, passkey_enrolment_until = gatehouse_now() + interval '1 minute'
     where id = $1`,
    [person.id],
  );
  t.regex(await (await browser.get('/operator')).text(), /Add passkey/);
  await api.test.advance(61_000);
  await addPasskey(api, { browser, person }).catch(() => undefined);
  const added = await api.test.query('select 1 from passkey where person_id = $1', [person.id]);
  t.is(added.length, 0);
  t.regex(await (await browser.get('/operator')).text(), /operator recover/);
});

test.serial('one passkey is too few, and the pages say so', async (t) => {
  const operator = await withPasskey();
  await confirm(operator);
  const hint = /data-hint="second-passkey"/;
  for (const path of ['/operator', SECURITY]) {
    t.regex(await (await operator.browser.get(path)).text(), hint);
  }
  await addPasskey(api, operator);
  for (const path of ['/operator', SECURITY]) {
    t.notRegex(await (await operator.browser.get(path)).text(), hint);
  }
});

test.serial('who is made an operator adds the first passkey with the password', async (t) => {
  const { person } = await people.signedIn();
  t.is((await admin(`operator create --email ${person.email}`)).exitCode, 0);
  const browser = api.browser();
  await browser.signIn(person);
  const authenticator = await addPasskey(api, { browser, person });
  const done = await confirm({ person, browser, authenticator });
  t.is(done.headers.get('location'), '/operator');
  t.is((await browser.get('/operator')).status, 200);
});

test.serial('after a recovery neither passkey nor password nor session leads in', async (t) => {
  const operator = await withPasskey();
  const { person, browser } = operator;
  const other = await withPasskey();
  const recovered = await admin(`operator recover --email ${person.email}`);
  t.is(recovered.exitCode, 0, recovered.err);
  t.regex(recovered.out, /The worker emails \S+ a link to choose a password/);
  t.is((await browser.get('/settings/profile')).status, 303, 'the session is over');
  t.is((await api.browser().signIn(person)).status, 422);
  const left = await api.test.query('select 1 from passkey where person_id = $1', [person.id]);
  t.is(left.length, 0);
  for (const { email } of [person, other.person]) {
    const purposes = (await people.mailsTo(email)).map(({ purpose }) => purpose);
    t.true(purposes.includes('operator_recovered'));
  }
  const trail = await api.test.query('select actor_id, action from audit where subject = $1', [
    person.id,
  ]);
  t.deepEqual(trail, [{ actor_id: null, action: 'operator.recovered' }]);
});

test.serial('after a recovery the link, a new password and a new passkey lead in', async (t) => {
  const { person } = await withPasskey();
  await admin(`operator recover --email ${person.email}`);
  const link = await people.linkTo(person.email, 'reset_password');
  const browser = api.browser();
  t.is((await people.follow(browser, link, { password: PASSWORD })).status, 303);
  t.is((await people.follow(browser, link, { password: PASSWORD })).status, 404);
  await browser.signIn({ ...person, password: PASSWORD });
  t.is((await browser.get('/operator')).status, 403);
  const renewed = { ...person, password: PASSWORD };
  const authenticator = await addPasskey(api, { browser, person: renewed });
  t.is((await confirm({ person, browser, authenticator })).status, 303);
  t.is((await browser.get('/operator')).status, 200);
});

test.serial('nobody but an operator is recovered', async (t) => {
  const { person, browser } = await people.signedIn();
  const refused = await admin(`operator recover --email ${person.email}`);
  t.is(refused.exitCode, 1);
  t.regex(refused.err, /not an operator/);
  t.is((await browser.get('/settings/profile')).status, 200);
  t.is((await admin('operator recover --email nobody@example.com')).exitCode, 1);
});
