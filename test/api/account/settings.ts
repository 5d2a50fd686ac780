import test from 'ava';
import { PASSWORD } from '../../support/identity/people.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { isSignedIn, people, type Person } from './scene.ts';

const { api } = people;

const HOUR_MS = 3_600_000;
const SECURITY = '/settings/security';
const NEW_PASSWORD = 'nine green bottles standing';

const post = ({ browser }: Pick<Person, 'browser'>, path: string, fields = {}, from = SECURITY) =>
  browser.submit(from, { action: path, fields });

const purposesTo = async (address: string) =>
  (await people.mailsTo(address)).map(({ purpose }) => purpose);

async function forget(email: string) {
  return api
    .browser()
    .submit('/forgot-password', { action: '/forgot-password', fields: { email } });
}

test.serial('a link from a mail sets a new password and ends all sessions', async (t) => {
  const one = await people.signedIn();
  const { person } = one;
  const sent = await forget(person.email.toUpperCase());
  t.is(sent.headers.get('location'), '/check-mail');
  const link = await people.linkTo(person.email, 'reset_password');
  t.is((await api.request(link)).status, 200);
  t.true(await isSignedIn(one));
  const weak = await people.follow(api.browser(), link, { password: 'short' });
  t.is(weak.status, 422);
  const done = await people.follow(api.browser(), link, { password: NEW_PASSWORD });
  t.is(arrivalOf(done), '/sign-in password_reset');
  t.false(await isSignedIn(one));
  t.is((await api.browser().signIn(person)).status, 422);
  t.is((await api.browser().signIn({ ...person, password: NEW_PASSWORD })).status, 303);
  const again = await people.follow(api.browser(), link, { password: PASSWORD });
  t.is(again.status, 404);
  t.true((await purposesTo(person.email)).includes('password_changed'));
});

test.serial('a reset link works for one hour', async (t) => {
  const person = await api.seed.person();
  await forget(person.email);
  const link = await people.linkTo(person.email, 'reset_password');
  await api.test.advance(HOUR_MS - 60_000);
  t.is((await api.request(link)).status, 200);
  await api.test.advance(120_000);
  t.is((await api.request(link)).status, 404);
  const late = await people.follow(api.browser(), link, { password: NEW_PASSWORD });
  t.is(late.status, 404);
});

test.serial('asking for a new password says the same of an unknown address', async (t) => {
  const unknown = await forget('nobody@example.com');
  t.is(unknown.status, 303);
  t.is(unknown.headers.get('location'), '/check-mail');
  t.deepEqual(await purposesTo('nobody@example.com'), []);
  t.is((await forget('no address')).status, 422);
});

test.serial(
  'a reset confirms the address, and removes passkeys that somebody else may have added',
  async (t) => {
    const person = await api.seed.person({ isEmailVerified: false });
    await api.test.query(
      `insert into passkey (credential_id, id, person_id, public_key, counter, transports, name)
     values ('squatter', gen_random_uuid(), $1, '\\x00', 0, '{}', 'x')`,
      [person.id],
    );
    await forget(person.email);
    const link = await people.linkTo(person.email, 'reset_password');
    t.is((await people.follow(api.browser(), link, { password: NEW_PASSWORD })).status, 303);
    const [row] = await api.test.query<{ at: Date | null; n: number }>(
      `select email_verified_at as at, (select count(*)::int from passkey where person_id = $1) as n
     from person where id = $1`,
      [person.id],
    );
    t.truthy(row!.at);
    t.is(row!.n, 0);
  },
);

test.serial(
  'a change of password needs the old one, ends all other sessions and makes a new one here',
  async (t) => {
    const here = await people.signedIn();
    const there = await people.signedIn(here.person);
    const session = here.browser.cookies.get('gatehouse_session');
    const change = (old_password: string, new_password: string) =>
      post(here, `${SECURITY}/password`, { old_password, new_password });
    const wrong = await change('wrong', NEW_PASSWORD);
    t.is(wrong.status, 422);
    t.regex(await wrong.text(), /id="old_password-problem"/);
    t.is((await change(here.person.password, 'password2026!')).status, 422);
    t.true(await isSignedIn(there));
    const done = await change(here.person.password, NEW_PASSWORD);
    t.is(arrivalOf(done), `${SECURITY} password_changed`);
    t.not(here.browser.cookies.get('gatehouse_session'), session);
    t.true(await isSignedIn(here));
    t.false(await isSignedIn(there));
    t.deepEqual(await purposesTo(here.person.email), ['password_changed', 'new_sign_in']);
  },
);

test.serial('a new address counts once it is confirmed, and the old one is told', async (t) => {
  const one = await people.signedIn();
  const { person } = one;
  const address = people.newEmail();
  await forget(person.email);
  const resetLink = await people.linkTo(person.email, 'reset_password');
  const ask = (email: string, password: string) =>
    post(one, `${SECURITY}/email`, { email, password });
  t.is((await ask(address, 'wrong')).status, 422);
  t.is((await ask(person.email, person.password)).status, 422);
  t.is((await ask('no address', person.password)).status, 422);
  t.is((await ask(address, person.password)).status, 303);
  t.is((await api.browser().signIn({ ...person, email: address })).status, 422);
  const session = one.browser.cookies.get('gatehouse_session');
  const link = await people.linkTo(address, 'change_email');
  const done = await people.follow(one.browser, link);
  t.is(arrivalOf(done), `${SECURITY} email_changed`);
  t.not(one.browser.cookies.get('gatehouse_session'), session, 'a new session id');
  t.is((await api.browser().signIn({ ...person, email: address })).status, 303);
  t.deepEqual(await purposesTo(person.email), [
    'email_changed',
    'email_change_asked',
    'reset_password',
  ]);
  t.is((await api.request(resetLink)).status, 404, 'what the old mailbox holds opens nothing');
});

test.serial('the address of somebody else is not given away, and not taken', async (t) => {
  const one = await people.signedIn();
  const other = await api.seed.person();
  const fields = { email: other.email, password: one.person.password };
  const answer = await post(one, `${SECURITY}/email`, fields);
  t.is(arrivalOf(answer), `${SECURITY} email_asked`);
  t.deepEqual(await purposesTo(other.email), ['known_address']);
  const address = people.newEmail();
  await post(one, `${SECURITY}/email`, { ...fields, email: address });
  const link = await people.linkTo(address, 'change_email');
  await api.test.query('update person set email = $1 where id = $2', [address, other.id]);
  t.is((await people.follow(one.browser, link)).status, 404);
});

test.serial(
  'somebody without a confirmed address can have the link again, so many times',
  async (t) => {
    const one = await people.signedIn(await api.seed.person({ isEmailVerified: false }));
    const page = await (await one.browser.get(SECURITY)).text();
    t.regex(page, /Not confirmed yet/);
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      statuses.push((await post(one, `${SECURITY}/verification`)).status);
    }
    t.deepEqual(statuses, [303, 303, 303, 303, 303, 429]);
    const session = one.browser.cookies.get('gatehouse_session');
    const link = await people.linkTo(one.person.email, 'verify_email');
    await people.follow(one.browser, link);
    t.not(one.browser.cookies.get('gatehouse_session'), session, 'a new session id');
    t.true(await isSignedIn(one));
  },
);

test.serial('handle and display name can be changed, to a handle that is free', async (t) => {
  const one = await people.signedIn();
  const other = await api.seed.person();
  const save = (handle: string, display_name: string) =>
    post(one, '/settings/profile', { handle, display_name }, '/settings/profile');
  t.is((await save('new_handle_1', 'Zoë <b>')).status, 303);
  const elsewhere = await (await one.browser.get('/settings/security')).text();
  t.notRegex(elsewhere, /data-notice/, 'the notice is for another page');
  const page = await (await one.browser.get('/settings/profile')).text();
  t.regex(page, /data-notice="saved"/);
  const again = await (await one.browser.get('/settings/profile')).text();
  t.notRegex(again, /data-notice/, 'a reload shows it no more');
  t.true(page.includes('value="Zoë &lt;b&gt;"'));
  const taken = await save(other.handle, 'Zoë');
  t.is(taken.status, 422);
  t.regex(await taken.text(), /This handle is taken/);
  t.is((await save('no', 'Zoë')).status, 422);
  t.is((await save('good_one', 'x'.repeat(10_000))).status, 422);
  const [row] = await api.test.query('select handle from person where id = $1', [one.person.id]);
  t.deepEqual(row, { handle: 'new_handle_1' });
});

test.serial('a notice that is not ours is not shown', async (t) => {
  const page = await (await api.request('/sign-in?notice=account_deleted&notice=<b>x')).text();
  t.notRegex(page, /data-notice|<b>/);
  for (const given of ['saved', 'saved.x', 'toString.x', `${'x'.repeat(5_000)}.x`]) {
    const cookie = `gatehouse_notice=${given}`;
    const forged = await (await api.request('/sign-in', { headers: { cookie } })).text();
    t.notRegex(forged, /data-notice/);
  }
});
