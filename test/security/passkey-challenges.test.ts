import test from 'ava';
import { createAuthenticator } from '../support/identity/authenticator.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { startPeople } from '../support/identity/people.ts';

const people = await startPeople({ host: 'localhost' });
const { api } = people;
const passkeys = createPasskeys(people);
test.after.always(() => api.close());

const SECURITY = '/settings/security';
const HOUR_MS = 3_600_000;

type Browser = ReturnType<typeof api.browser>;

async function challengeOf(browser: Browser, page: string, action: string, fields = {}) {
  const asked = await browser.submit(page, { action, fields });
  return ((await asked.json()) as { challenge: string }).challenge;
}

const passkeysOf = ({ id }: { id: string }) =>
  api.test.query('select name from passkey where person_id = $1', [id]);

test.serial('a stolen session adds no passkey with the challenge of a confirmation', async (t) => {
  const { browser, person } = await people.signedIn();
  await api.test.advance(HOUR_MS);
  const challenge = await challengeOf(browser, SECURITY, '/confirm/passkey/options');
  const response = createAuthenticator(person.id).register({ challenge, origin: api.url });
  const action = `${SECURITY}/passkeys`;
  const added = await browser.submit(SECURITY, { action, fields: { name: 'Key', response } });
  t.is(added.status, 400);
  t.deepEqual(await passkeysOf(person), []);
});

test.serial('the challenge of a new passkey confirms nobody', async (t) => {
  const { browser, person } = await people.signedIn();
  const { authenticator, add } = await passkeys.prepare(browser, person.id, person.password);
  t.is((await add()).status, 303);
  const fields = { password: person.password };
  const challenge = await challengeOf(browser, SECURITY, `${SECURITY}/passkeys/options`, fields);
  const response = authenticator.signIn({ challenge, origin: api.url, counter: 5 });
  const action = '/confirm/passkey';
  t.is((await browser.submit(SECURITY, { action, fields: { response } })).status, 422);
});

test.serial('nor does the challenge of a sign-in make an account', async (t) => {
  const browser = api.browser();
  const fields = { email: people.newEmail(), handle: 'somebody_1', display_name: 'Somebody' };
  const page = '/sign-up/passkey';
  const challenge = await challengeOf(browser, '/sign-in', '/sign-in/passkey/options');
  const response = createAuthenticator('somebody').register({ challenge, origin: api.url });
  const made = await browser.submit(page, { action: page, fields: { ...fields, response } });
  t.is(made.status, 422);
});
