import test from 'ava';
import { createAuthenticator } from '../../../support/identity/authenticator.ts';
import { PASSWORD } from '../../../support/identity/people.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { people } from './scene.ts';

const { api } = people;
const origin = api.url;

type Browser = ReturnType<typeof api.browser>;
type Fields = Record<string, string>;

const PATH = '/sign-up/passkey';
const SECURITY = '/settings/security';
const MINUTES_MS = 60_000;

const submit = (browser: Browser, from: string, action: string, fields: Fields = {}) =>
  browser.submit(from, { action, fields });

let lastNumber = 0;
function newFields(given: Fields = {}): Fields {
  lastNumber += 1;
  const handle = `key_${lastNumber}`;
  return { email: `${handle}@example.com`, handle, display_name: `Key ${lastNumber}`, ...given };
}

type Options = { challenge: string; user: { id: string; name: string } };

/** Asks for a passkey and makes it; what is not given is right. */
async function ask(given: Fields = {}, answered: { origin?: string } = {}) {
  const browser = api.browser();
  const fields = newFields(given);
  const asked = await submit(browser, PATH, `${PATH}/options`, fields);
  const options = (await asked.json()) as Options;
  const personId = Buffer.from(options.user.id, 'base64url').toString();
  const authenticator = createAuthenticator(personId);
  const { challenge } = options;
  const response = authenticator.register({ challenge, origin, ...answered });
  return { browser, fields, options, personId, authenticator, response };
}

const send = ({ browser, fields, response }: Awaited<ReturnType<typeof ask>>) =>
  submit(browser, PATH, PATH, { ...fields, response });

async function signUp(given: Fields = {}, answered: { origin?: string } = {}) {
  const asked = await ask(given, answered);
  return { ...asked, answer: await send(asked) };
}

/** Somebody who has confirmed the address too. */
async function join() {
  const one = await signUp();
  await people.follow(one.browser, await people.linkTo(one.fields['email']!, 'verify_email'));
  return one;
}

type SignedUp = Awaited<ReturnType<typeof signUp>>;

let lastCounter = 10;
async function signIn({ authenticator }: Pick<SignedUp, 'authenticator'>) {
  const browser = api.browser();
  const asked = await submit(browser, '/sign-in', '/sign-in/passkey/options');
  const { challenge } = (await asked.json()) as { challenge: string };
  const counter = (lastCounter += 1);
  const response = authenticator.signIn({ challenge, origin, counter });
  return { browser, answer: await submit(browser, '/sign-in', '/sign-in/passkey', { response }) };
}

async function addPasskey(browser: Browser, personId: string) {
  const authenticator = createAuthenticator(personId);
  const asked = await submit(browser, SECURITY, `${SECURITY}/passkeys/options`, { name: 'Key' });
  if (asked.status !== 200) return { authenticator, answer: asked };
  const { challenge } = (await asked.json()) as Options;
  const response = authenticator.register({ challenge, origin });
  const answer = await submit(browser, SECURITY, `${SECURITY}/passkeys`, { name: 'Key', response });
  return { authenticator, answer };
}

const passkeysOf = async (personId: string) => {
  const sql = 'select id from passkey where person_id = $1 order by created_at';
  return (await api.test.query<{ id: string }>(sql, [personId])).map(({ id }) => id);
};

const remove = (browser: Browser, passkey_id: string, password = '') =>
  submit(browser, SECURITY, `${SECURITY}/passkeys/remove`, { passkey_id, password });

test.serial('a newcomer signs up with a passkey alone, and signs in with it', async (t) => {
  const one = await signUp();
  t.is(one.answer.headers.get('location'), '/check-mail');
  t.is(one.options.user.name, one.fields['handle']!);
  const [mail] = await people.mailsTo(one.fields['email']!);
  t.is(mail?.purpose, 'verify_email');
  const link = await people.linkTo(one.fields['email']!, 'verify_email');
  const confirmed = await people.follow(one.browser, link);
  t.is(arrivalOf(confirmed), '/ email_verified');
  const { browser, answer } = await signIn(one);
  t.is(answer.status, 303);
  const page = await (await browser.get('/settings/profile')).text();
  t.true(page.includes(one.personId) && page.includes(one.fields['handle']!));
  const [row] = await api.test.query<{ password_hash: string | null; verified: boolean }>(
    'select password_hash, email_verified_at is not null as verified from person where id = $1',
    [one.personId],
  );
  t.deepEqual(row, { password_hash: null, verified: true });
  const guessed = await api.browser().signIn({ email: one.fields['email']!, password: '' });
  t.is(guessed.status, 422);
});

test.serial('a known address gets the same answer, and its owner a mail instead', async (t) => {
  const person = await api.seed.person();
  const one = await signUp({ email: person.email.toUpperCase() });
  t.is(one.answer.headers.get('location'), '/check-mail');
  t.is((await people.mailsTo(person.email))[0]?.purpose, 'known_address');
  t.deepEqual(await passkeysOf(person.id), []);
  t.is((await signIn(one)).answer.status, 422);
});

test.serial('fields that cannot be taken are said in place, and leave nothing', async (t) => {
  const taken = (await api.seed.person()).handle;
  const before = await people.count('person');
  const wrong: [Fields, RegExp][] = [
    [{ email: 'nobody' }, /id="email-problem"/],
    [{ handle: 'no' }, /id="handle-problem"/],
    [{ handle: taken }, /id="handle-problem"[^>]*>This handle is taken/],
    [{ display_name: ' ' }, /id="display_name-problem"/],
  ];
  for (const [given, expected] of wrong) {
    const browser = api.browser();
    const fields = newFields(given);
    t.is((await submit(browser, PATH, `${PATH}/options`, fields)).status, 422);
    const answer = await submit(browser, PATH, PATH, { ...fields, response: '' });
    t.is(answer.status, 422);
    t.regex(await answer.text(), expected);
  }
  t.is(await people.count('person'), before);
});

test.serial('an answer that proves nothing makes no account', async (t) => {
  const before = await people.count('person');
  t.is((await signUp({}, { origin: 'https://evil.example' })).answer.status, 422);
  for (const response of ['', '{', 'null', '{"id":"x"}', 'x'.repeat(10_000)]) {
    const answer = await submit(api.browser(), PATH, PATH, { ...newFields(), response });
    t.is(answer.status, 422, response.slice(0, 10));
    t.regex(await answer.text(), /No passkey was created/);
  }
  t.is(await people.count('person'), before);
});

test.serial('a challenge makes one account, and is none of another ceremony', async (t) => {
  const one = await signUp();
  const again = { ...newFields(), response: one.response };
  t.is((await submit(one.browser, PATH, PATH, again)).status, 422);
  const browser = api.browser();
  const asked = await submit(browser, '/sign-in', '/sign-in/passkey/options');
  const { challenge } = (await asked.json()) as { challenge: string };
  const response = createAuthenticator(one.personId).register({ challenge, origin });
  const answer = await submit(browser, PATH, PATH, { ...newFields(), response });
  t.is(answer.status, 422, 'the challenge of a sign-in');
  const registrant = api.browser();
  const offered = await submit(registrant, PATH, `${PATH}/options`, newFields());
  const offer = (await offered.json()) as Options;
  const counter = (lastCounter += 1);
  const use = one.authenticator.signIn({ challenge: offer.challenge, origin, counter });
  const entered = await submit(registrant, '/sign-in', '/sign-in/passkey', { response: use });
  t.is(entered.status, 422, 'the challenge of a sign-up');
});

test.serial('one passkey opens one account, and tells nothing about an address', async (t) => {
  const one = await signUp();
  const known = (await api.seed.person()).email;
  for (const given of [{}, { email: known }] as Fields[]) {
    const { browser, fields, options } = await ask(given);
    const { challenge } = options;
    const response = one.authenticator.register({ challenge, origin });
    const before = await people.count('person');
    t.is((await submit(browser, PATH, PATH, { ...fields, response })).status, 400);
    t.is(await people.count('person'), before);
  }
  t.deepEqual(await people.mailsTo(known), []);
});

test.serial('of two who want the same handle at once one gets it', async (t) => {
  const handle = `race_${(lastNumber += 1)}`;
  const both = [
    await ask({ handle, email: `${handle}_a@example.com` }),
    await ask({ handle, email: `${handle}_b@example.com` }),
  ];
  const answers = await Promise.all(both.map(send));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test.serial('the last passkey is not removed while there is no password', async (t) => {
  const one = await join();
  const { browser } = await signIn(one);
  const [only] = await passkeysOf(one.personId);
  t.false((await (await browser.get(SECURITY)).text()).includes('/passkeys/remove'));
  const refused = await remove(browser, only!);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /your only way to sign in/);
  t.is((await addPasskey(browser, one.personId)).answer.status, 303);
  t.is((await remove(browser, only!)).status, 303);
  t.is((await passkeysOf(one.personId)).length, 1);
});

test.serial('of two last passkeys that are removed at once one stays', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const one = await join();
    const { browser } = await signIn(one);
    await addPasskey(browser, one.personId);
    const both = await passkeysOf(one.personId);
    const answers = await Promise.all(both.map((id) => remove(browser, id)));
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
    t.is((await passkeysOf(one.personId)).length, 1);
  }
});

test.serial(
  'a password is chosen in the settings, soon after a sign-in; then the passkey may go',
  async (t) => {
    const one = await join();
    let { browser } = await signIn(one);
    const choose = () =>
      submit(browser, SECURITY, `${SECURITY}/password`, { new_password: PASSWORD });
    await api.test.advance(11 * MINUTES_MS);
    const late = await choose();
    t.is(late.status, 422);
    t.regex(await late.text(), /more than ten minutes ago/);
    ({ browser } = await signIn(one));
    t.is(arrivalOf(await choose()), `${SECURITY} password_changed`);
    const email = one.fields['email']!;
    t.is((await api.browser().signIn({ email, password: PASSWORD })).status, 303);
    const [only] = await passkeysOf(one.personId);
    t.is((await remove(browser, only!)).status, 422, 'a password guards it now');
    t.is((await remove(browser, only!, PASSWORD)).status, 303);
    const again = await submit(browser, SECURITY, `${SECURITY}/password`, {
      new_password: `${PASSWORD} and more`,
    });
    t.is(again.status, 422, 'now there is one to know');
  },
);

test.serial('a password is chosen by a mail, and the passkey works where it is kept', async (t) => {
  const one = await signUp();
  const email = one.fields['email']!;
  await people.follow(one.browser, await people.linkTo(email, 'verify_email'));
  one.browser.cookies.delete('gatehouse_session');
  await submit(one.browser, '/forgot-password', '/forgot-password', { email });
  const link = await people.linkTo(email, 'reset_password');
  await people.follow(one.browser, link, { password: PASSWORD, keep_passkeys: 'yes' });
  t.is((await api.browser().signIn({ email, password: PASSWORD })).status, 303);
  t.is((await signIn(one)).answer.status, 303);
});

test.serial('without a password, what needs its owner needs a sign-in just now', async (t) => {
  const one = await join();
  let { browser } = await signIn(one);
  const email = `new_${one.fields['email']}`;
  const attempts = {
    address: () => submit(browser, SECURITY, `${SECURITY}/email`, { email }),
    passkey: async () => (await addPasskey(browser, one.personId)).answer,
    deletion: () => submit(browser, SECURITY, '/settings/delete-account'),
  };
  await api.test.advance(11 * MINUTES_MS);
  t.is((await attempts.address()).status, 422);
  t.is((await attempts.passkey()).status, 403);
  t.is((await attempts.deletion()).status, 422);
  ({ browser } = await signIn(one));
  t.is((await attempts.address()).status, 303);
  t.is((await attempts.passkey()).status, 303);
  t.is(arrivalOf(await attempts.deletion()), '/sign-in account_deleted');
});
