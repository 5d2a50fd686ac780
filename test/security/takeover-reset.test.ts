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
