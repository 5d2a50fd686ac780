import test from 'ava';
import { lockPerson } from '../../domain/identity/account.repository.ts';
import { confirmAddress } from '../../domain/identity/mail/confirm-address.command.ts';
import { runAdmin } from '../support/identity/admin.ts';
import { eventually } from '../support/eventually.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { arrivalOf } from '../support/http/arrival.ts';

const limits = { account_failures: 10_000, address_failures: 10_000 };
const people = await startPeople({ host: 'localhost', limits });
const { api } = people;
const passkeys = createPasskeys(people);
test.after.always(() => api.close());

const OWN_PASSWORD = 'nine green bottles standing';
const SECURITY = '/settings/security';

async function idOf(email: string): Promise<string> {
  const [row] = await api.test.query<{ id: string }>('select id from person where email = $1', [
    email,
  ]);
  return row!.id;
}

const count = async (table: string, personId: string) => {
  const sql = `select count(*)::int as n from ${table} where person_id = $1`;
  return (await api.test.query<{ n: number }>(sql, [personId]))[0]!.n;
};

/** Somebody who signs up with the address of somebody else, signs in, and has a passkey as well. */
async function occupy() {
  const { browser, email } = await people.signUp();
  // As in a database from before a sign-up opened nothing until its address is confirmed.
  await api.test.query('update person set sign_up_browser = null where email = $1', [email]);
  requireStatus(await browser.signIn({ email, password: PASSWORD }), 303);
  const personId = await idOf(email);
  const { add, authenticator } = await passkeys.prepare(browser, personId, PASSWORD);
  requireStatus(await add(), 303);
  return { browser, email, personId, authenticator };
}

function requireStatus({ status }: Response, expected: number) {
  if (status !== expected) throw new Error(`answered ${status}`);
}

/** The owner of the mailbox follows the link in a browser of their own. */
async function confirm(email: string, browser = api.browser()) {
  const link = await people.linkTo(email, 'verify_email');
  const page = await (await browser.get(link)).text();
  const answer = await people.follow(browser, link);
  const location = answer.headers.get('location')!;
  return { browser, page, answer, location, arrival: arrivalOf(answer) };
}

async function choose(browser: ReturnType<typeof api.browser>, location: string) {
  const link = location.replace(/&.*/, '');
  return people.follow(browser, link, { password: OWN_PASSWORD });
}

test.serial('a passkey made before confirmation opens no account', async (t) => {
  const { browser: attacker, email, personId, authenticator } = await occupy();
  const { browser, page, location, arrival } = await confirm(email);
  t.regex(page, /data-other-browser/);
  t.regex(arrival, /^\/reset-password\?token=.* email_verified$/);
  t.regex(await (await browser.get(location)).text(), /Your email address is confirmed/);
  t.is((await passkeys.signIn(authenticator)).answer.status, 422);
  t.is((await attacker.get('/library')).status, 303, 'the session is over');
  t.is((await api.browser().signIn({ email, password: PASSWORD })).status, 422);
  t.is(arrivalOf(await choose(browser, location)), '/sign-in password_reset');
  t.is((await browser.signIn({ email, password: OWN_PASSWORD })).status, 303);
  t.is((await passkeys.signIn(authenticator)).answer.status, 422);
  t.is(await count('passkey', personId), 0);
});

test.serial(
  'an account made with a passkey for the address of another is not kept by it',
  async (t) => {
    const email = people.newEmail();
    const fields = { email, handle: 'made_by_passkey', display_name: 'Made' };
    const { authenticator } = await passkeys.signUp(fields);
    const { browser, location } = await confirm(email);
    t.is((await passkeys.signIn(authenticator)).answer.status, 422);
    t.is((await choose(browser, location)).status, 303);
    t.is((await passkeys.signIn(authenticator)).answer.status, 422);
    t.is((await browser.signIn({ email, password: OWN_PASSWORD })).status, 303);
  },
);

test.serial('who closes the page of the new password comes in by a mail', async (t) => {
  const { email } = await occupy();
  await confirm(email);
  const browser = api.browser();
  await browser.submit('/forgot-password', { action: '/forgot-password', fields: { email } });
  const link = await people.linkTo(email, 'reset_password');
  t.is((await people.follow(browser, link, { password: OWN_PASSWORD })).status, 303);
  t.is((await browser.signIn({ email, password: OWN_PASSWORD })).status, 303);
});

test.serial('the browser that signed up keeps its password, and its passkey', async (t) => {
  const { browser, email } = await people.signUp();
  const { page, arrival } = await confirm(email, browser);
  t.notRegex(page, /data-other-browser/);
  t.is(arrival, '/ email_verified');
  t.is((await browser.get('/library')).status, 200, 'it is signed in');
  t.is((await api.browser().signIn({ email, password: PASSWORD })).status, 303);
  const address = people.newEmail();
  const fields = { email: address, handle: 'kept_by_passkey', display_name: 'Kept' };
  const one = await passkeys.signUp(fields);
  t.is((await confirm(address, one.browser)).arrival, '/ email_verified');
  t.is((await passkeys.signIn(one.authenticator)).answer.status, 303);
});

test.serial('who signs up twice in one browser keeps the password of the last time', async (t) => {
  const { browser, email } = await people.signUp();
  await people.signUp({ email, password: OWN_PASSWORD }, browser);
  t.is((await confirm(email, browser)).arrival, '/ email_verified');
  t.is((await api.browser().signIn({ email, password: PASSWORD })).status, 422);
  t.is((await api.browser().signIn({ email, password: OWN_PASSWORD })).status, 303);
});

test.serial('a browser that is signed in keeps its session, and ends all others', async (t) => {
  const { browser: other, email, personId, authenticator } = await occupy();
  const browser = api.browser();
  await browser.signIn({ email, password: PASSWORD });
  const before = browser.cookies.get('gatehouse_session');
  const { arrival } = await confirm(email, browser);
  t.is(arrival, `${SECURITY} email_verified`);
  t.not(browser.cookies.get('gatehouse_session'), before);
  t.is((await browser.get('/library')).status, 200);
  t.is((await other.get('/library')).status, 303);
  t.is(await count('session', personId), 1);
  t.is((await passkeys.signIn(authenticator)).answer.status, 303, 'their own passkey');
});

test.serial('the sign-up cookie of one account confirms no other', async (t) => {
  const { email } = await people.signUp();
  const stranger = await people.signUp();
  const { location } = await confirm(email, stranger.browser);
  t.regex(location, /^\/reset-password/);
});

test.serial('the answer to a sign-up has the same cookies for a known address', async (t) => {
  const known = await api.seed.person();
  const names = async (given: Record<string, string>) =>
    [...(await people.signUp(given)).browser.cookies.keys()].toSorted();
  t.deepEqual(await names({ email: known.email }), await names({}));
});

/** What comes of a request that has passed its checks when the address is confirmed elsewhere. */
async function whileConfirming<Answer>(
  { email: address, personId }: { email: string; personId: string },
  request: () => Promise<Answer>,
): Promise<Answer> {
  const waiting = async () => {
    const [row] = await api.test.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row!.n;
  };
  let answer: Promise<Answer>;
  await api.database.transaction(async (em) => {
    await lockPerson(em, personId);
    answer = request();
    await eventually(waiting, (n) => n === 1);
    const browser = { session: null, signUp: null };
    await confirmAddress(em, { personId, address, browser });
  });
  return answer!;
}

test.serial('a passkey added while the confirmation is under way is not added', async (t) => {
  const one = await occupy();
  const { add, authenticator } = await passkeys.prepare(one.browser, one.personId, PASSWORD);
  t.is((await whileConfirming(one, add)).status, 401);
  t.is(await count('passkey', one.personId), 0);
  t.is((await passkeys.signIn(authenticator)).answer.status, 422);
});

test.serial('a sign-in under way while the address is confirmed gives no session', async (t) => {
  const one = await occupy();
  const { email } = one;
  const byPassword = () => api.browser().signIn({ email, password: PASSWORD });
  t.is((await whileConfirming(one, byPassword)).status, 422);
  t.is(await count('session', one.personId), 0);
  const other = await occupy();
  const byPasskey = () => passkeys.signIn(other.authenticator);
  t.is((await whileConfirming(other, byPasskey)).answer.status, 422);
  t.is(await count('session', other.personId), 0);
});

test.serial('a password changed while the confirmation is under way is not set', async (t) => {
  const one = await occupy();
  const fields = { old_password: PASSWORD, new_password: 'seven tall ships at sea' };
  const action = `${SECURITY}/password`;
  const change = () => one.browser.submit(SECURITY, { action, fields });
  t.is((await whileConfirming(one, change)).status, 401);
  const guess = { email: one.email, password: fields.new_password };
  t.is((await api.browser().signIn(guess)).status, 422);
});

test.serial('no operator is made of what was left before the confirmation', async (t) => {
  const settings = { DATABASE_URL: api.test.url };
  const { email, personId, authenticator } = await occupy();
  const { browser, location } = await confirm(email);
  // A passkey that came past every check, as in a database from before.
  await api.test.query(
    `insert into passkey (credential_id, id, person_id, public_key, counter, transports, name, is_unproven)
     values ('left', gen_random_uuid(), $1, '', 0, '{}', 'Left', true)`,
    [personId],
  );
  const refused = await runAdmin(['operator', 'create', '--email', email], settings);
  t.is(refused.exitCode, 1);
  t.regex(refused.err, /from before its address was confirmed/);
  await choose(browser, location);
  const made = await runAdmin(['operator', 'create', '--email', email], settings);
  t.is(made.exitCode, 0, made.err);
  t.is((await passkeys.signIn(authenticator)).answer.status, 422);
  await browser.signIn({ email, password: OWN_PASSWORD });
  t.is((await browser.get('/operator')).status, 200);
  await t.throwsAsync(
    api.test.query('update person set is_password_unproven = true where id = $1', [personId]),
    { message: /person_password_proven/ },
  );
});
