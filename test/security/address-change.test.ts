import test from 'ava';
import { lockPerson } from '../../domain/identity/account.repository.ts';
import { endAddressChanges } from '../../domain/identity/mail/mail-link.repository.ts';
import { endAllSessions } from '../../domain/identity/session.repository.ts';
import { eventually } from '../support/eventually.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { startPeople } from '../support/identity/people.ts';
import { arrivalOf } from '../support/http/arrival.ts';

const limits = { account_failures: 10_000, address_failures: 10_000 };
const people = await startPeople({ host: 'localhost', limits });
const { api } = people;
const passkeys = createPasskeys(people);
test.after.always(() => api.close());

const NEW_PASSWORD = 'nine green bottles standing';
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
