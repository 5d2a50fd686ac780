import test from 'ava';
import { endAllSessions } from '../../domain/identity/session.repository.ts';
import { lockPerson } from '../../domain/identity/account.repository.ts';
import { eventually } from '../support/eventually.ts';
import {
  authorizePath,
  exchange,
  newCode,
  readProfile,
  readRequestToken,
} from '../support/identity/oauth.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { startPeople } from '../support/identity/people.ts';
import { endAddressChanges } from '../../domain/identity/mail/mail-link.repository.ts';
import { arrivalOf } from '../support/http/arrival.ts';

const limits = { account_failures: 10_000, address_failures: 10_000 };
const people = await startPeople({ host: 'localhost', limits });
const { api } = people;
const passkeys = createPasskeys(people);
test.after.always(() => api.close());

const NEW_PASSWORD = 'nine green bottles standing';

/** An account that somebody else was in: they left a passkey, and an app that acts for it. */
async function takenOver() {
  const { browser, person } = await people.signedIn();
  const { add, authenticator } = await passkeys.prepare(browser, person.id, person.password);
  if ((await add()).status !== 303) throw new Error('no passkey');
  const client = await api.seed.client({ product: await api.seed.product(), name: 'Their app' });
  const code = await newCode(browser, client);
  const answer = await exchange(api, { client, code });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const email = { email: person.email };
  await api.browser().submit('/forgot-password', { action: '/forgot-password', fields: email });
  const link = await people.linkTo(person.email, 'reset_password');
  return { browser, person, authenticator, client, token, link };
}

type Taken = Awaited<ReturnType<typeof takenOver>>;

const reset = ({ link }: Taken, fields = {}) =>
  people.follow(api.browser(), link, { password: NEW_PASSWORD, ...fields });

const statusesOf = async ({ token, authenticator }: Taken) => ({
  token: (await readProfile(api, token)).status,
  passkey: (await passkeys.signIn(authenticator)).answer.status,
});

test.serial('a reset by mail shows what else leads in, and removes it', async (t) => {
  const taken = await takenOver();
  const page = await (await api.request(taken.link)).text();
  t.regex(page, /<strong>Key<\/strong>[^]*name="keep_passkeys"/);
  t.regex(page, /<strong>Their app<\/strong>[^]*name="keep_apps"/);
  t.notRegex(page, /checked/);
  t.deepEqual(await statusesOf(taken), { token: 200, passkey: 303 });
  t.is((await reset(taken)).status, 303);
  t.deepEqual(await statusesOf(taken), { token: 401, passkey: 422 });
  const { browser, client } = taken;
  await browser.signIn({ email: taken.person.email, password: NEW_PASSWORD });
  t.notRegex(await (await browser.get('/settings/apps')).text(), /Their app/);
  t.regex(await (await browser.get(authorizePath(client))).text(), /name="request"/);
});

test.serial('whoever resets a password may keep passkeys, or apps', async (t) => {
  const one = await takenOver();
  const refused = await reset(one, { keep_passkeys: 'yes', password: 'short' });
  t.is(refused.status, 422);
  t.regex(await refused.text(), /name="keep_passkeys" value="yes" checked/);
  t.is((await reset(one, { keep_passkeys: 'yes' })).status, 303);
  t.deepEqual(await statusesOf(one), { token: 401, passkey: 303 });
  const other = await takenOver();
  t.is((await reset(other, { keep_apps: 'yes' })).status, 303);
  t.deepEqual(await statusesOf(other), { token: 200, passkey: 422 });
});

test.serial('a reset whose link is over removes nothing', async (t) => {
  const taken = await takenOver();
  await api.test.query(`update mail_token set used_at = gatehouse_now() where person_id = $1`, [
    taken.person.id,
  ]);
  t.is((await reset(taken)).status, 404);
  t.deepEqual(await statusesOf(taken), { token: 200, passkey: 303 });
});

test.serial('a consent under way while the sessions end is not given', async (t) => {
  const { browser, person, client } = await takenOver();
  await api.test.query('delete from consent where person_id = $1', [person.id]);
  const path = authorizePath(client);
  const request = readRequestToken(await (await browser.get(path)).text());
  const fields = { request, decision: 'allow' };
  let answer: Promise<Response>;
  await api.database.transaction(async (em) => {
    await lockPerson(em, person.id);
    answer = browser.submit('/settings/apps', { action: '/oauth/authorize', fields });
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(
      () => api.test.query(waiting),
      (found) => found.length === 1,
    );
    await endAllSessions(em, person.id);
  });
  t.is((await answer!).status, 401);
  t.deepEqual(await api.test.query('select 1 from consent where person_id = $1', [person.id]), []);
});

test.serial('a passkey that is added or removed is mailed to its person', async (t) => {
  const { browser, person } = await people.signedIn();
  const { add } = await passkeys.prepare(browser, person.id, person.password);
  await add();
  const [passkey] = await api.test.query<{ id: string }>(
    'select id from passkey where person_id = $1',
    [person.id],
  );
  const action = '/settings/security/passkeys/remove';
  const remove = (passkey_id: string, password: string) =>
    browser.submit('/settings/security', { action, fields: { passkey_id, password } });
  t.is((await remove(passkey!.id, 'wrong')).status, 422, 'not without the proof of the owner');
  t.is((await remove(passkey!.id, person.password)).status, 303);
  await remove(passkey!.id, person.password);
  const purposes = (await people.mailsTo(person.email)).map(({ purpose }) => purpose);
  t.deepEqual(purposes, ['passkey_removed', 'passkey_added']);
});

const SECURITY = '/settings/security';

type Browser = ReturnType<typeof api.browser>;

const post = (browser: Browser, path: string, fields = {}) =>
  browser.submit(SECURITY, { action: SECURITY + path, fields });

const emailOf = async ({ id }: { id: string }) => {
  const sql = 'select email from person where id = $1';
  return (await api.test.query<{ email: string }>(sql, [id]))[0]!.email;
};

/** Somebody who knew the password for a moment has asked for an address of their own. */
async function takeAddress() {
  const { browser: attacker, person } = await people.signedIn();
  const owner = api.browser();
  await owner.signIn(person);
  const address = people.newEmail();
  const asked = await post(attacker, '/email', { email: address, password: person.password });
  if (asked.status !== 303) throw new Error(`answered ${asked.status}`);
  return { attacker, owner, person, address, link: await people.linkTo(address, 'change_email') };
}

const ENDINGS = {
  'a change of password': ({ owner, person }) =>
    post(owner, '/password', { old_password: person.password, new_password: NEW_PASSWORD }),
  'signing out everywhere': ({ owner }) => post(owner, '/sign-out-everywhere'),
  'the removal of a passkey': async ({ owner, person }) => {
    const { id, password } = person;
    const [row] = await api.test.query<{ id: string }>(
      'select id from passkey where person_id = $1',
      [id],
    );
    return post(owner, '/passkeys/remove', { passkey_id: row!.id, password });
  },
} satisfies Record<string, (taken: Awaited<ReturnType<typeof takeAddress>>) => Promise<Response>>;

for (const [what, end] of Object.entries(ENDINGS)) {
  test.serial(`a pending change of address does not outlive ${what}`, async (t) => {
    const taken = await takeAddress();
    const { owner, attacker, person, link } = taken;
    const { add } = await passkeys.prepare(owner, person.id, person.password);
    t.is((await add()).status, 303);
    t.is((await end(taken)).status, 303);
    t.is((await people.follow(api.browser(), link)).status, 404);
    t.is((await people.follow(attacker, link)).status, 404);
    t.is(await emailOf(person), person.email);
  });
}

test.serial('a link to a new address changes nothing without the person who asked', async (t) => {
  const { person, link } = await takeAddress();
  const nobody = api.browser();
  t.is((await nobody.get(link)).headers.get('location'), '/sign-in');
  const fields = { token: link.split('token=')[1]! };
  const sent = await nobody.submit('/forgot-password', { action: '/verify-email', fields });
  t.is(sent.headers.get('location'), '/sign-in');
  const other = await people.signedIn();
  t.is((await other.browser.get(link)).status, 403);
  const refused = await people.follow(other.browser, link);
  t.is(refused.status, 403);
  t.regex(await refused.text(), /data-link="other"/);
  t.is(await emailOf(person), person.email);
});

test.serial('who is signed out confirms the address after a sign-in', async (t) => {
  const { person, address, link, attacker } = await takeAddress();
  const browser = api.browser();
  t.is((await browser.get(link)).headers.get('location'), '/sign-in');
  const back = (await browser.signIn(person)).headers.get('location')!;
  t.regex(back, /^\/verify-email\?token=/);
  t.is((await api.request(back)).status, 404, 'only in the browser that was sent to sign-in');
  const kept = await api.test.query('select return_to from pre_session');
  t.false(JSON.stringify(kept).includes(link.split('token=')[1]!), 'the link itself is not kept');
  const done = await people.follow(browser, back);
  t.is(arrivalOf(done), `${SECURITY} email_changed`);
  t.is(await emailOf(person), address);
  t.is((await attacker.get('/library')).status, 303, 'all other sessions are over');
  t.is((await browser.get('/library')).status, 200);
});

test.serial('the old address gets a mail at once, and its link stops the change', async (t) => {
  const { person, link, attacker } = await takeAddress();
  const stop = await people.linkTo(person.email, 'email_change_asked');
  const nobody = api.browser();
  for (const method of ['GET', 'HEAD']) {
    t.is((await api.request(stop, { method })).status, 200);
  }
  t.is((await attacker.get(link)).status, 200, 'looking stops nothing');
  const stopped = await people.follow(nobody, stop);
  t.is(arrivalOf(stopped), '/sign-in email_change_stopped');
  t.is((await people.follow(attacker, link)).status, 404);
  t.is(await emailOf(person), person.email);
  t.is((await people.follow(nobody, stop)).status, 404, 'it stops one time');
});

test.serial(
  'once the address is changed there is nothing to stop, and the page says so',
  async (t) => {
    const { person, link, attacker } = await takeAddress();
    const stop = await people.linkTo(person.email, 'email_change_asked');
    await people.follow(attacker, link);
    t.regex(await (await api.request(stop)).text(), /says whom to contact/);
    const late = await people.follow(api.browser(), stop);
    t.is(arrivalOf(late), '/sign-in email_change_over');
    const [mail] = await people.mailsTo(person.email);
    t.is(mail?.purpose, 'email_changed');
  },
);

test.serial(
  'the old address gets the same mail when the new one belongs to somebody',
  async (t) => {
    const { browser, person } = await people.signedIn();
    const other = await api.seed.person();
    await post(browser, '/email', { email: other.email, password: person.password });
    const purposes = (await people.mailsTo(person.email)).map(({ purpose }) => purpose);
    t.deepEqual(purposes, ['email_change_asked']);
  },
);

test.serial('a confirmation under way while all is ended changes nothing', async (t) => {
  const { attacker, person, link } = await takeAddress();
  let answer: Promise<Response>;
  await api.database.transaction(async (em) => {
    await lockPerson(em, person.id);
    answer = people.follow(attacker, link);
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(
      () => api.test.query(waiting),
      (found) => found.length === 1,
    );
    await endAllSessions(em, person.id);
    await endAddressChanges(em, person.id);
  });
  t.is((await answer!).status, 401);
  t.is(await emailOf(person), person.email);
});
