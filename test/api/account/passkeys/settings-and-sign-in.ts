import test from 'ava';
import { createAuthenticator } from '../../../support/identity/authenticator.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { people } from './scene.ts';

const { api } = people;
const origin = api.url;

type Browser = ReturnType<typeof api.browser>;
type HttpResponse = Parameters<ReturnType<typeof createAuthenticator>['signIn']>[0];

const SECURITY = '/settings/security';

const submit = (browser: Browser, from: string, action: string, fields = {}) =>
  browser.submit(from, { action, fields });

async function askToRegister(browser: Browser, password: string) {
  const path = `${SECURITY}/passkeys/options`;
  return submit(browser, SECURITY, path, { name: 'Key', password });
}

const register = (browser: Browser, response: string, name = 'Key') =>
  submit(browser, SECURITY, `${SECURITY}/passkeys`, { name, response });

async function askToSignIn(browser: Browser): Promise<string> {
  const response = await submit(browser, '/sign-in', '/sign-in/passkey/options');
  return ((await response.json()) as { challenge: string }).challenge;
}

const signIn = (browser: Browser, response: string) =>
  submit(browser, '/sign-in', '/sign-in/passkey', { response });

async function withPasskey() {
  const { browser, person } = await people.signedIn();
  const authenticator = createAuthenticator(person.id);
  const options = await (await askToRegister(browser, person.password)).json();
  const { challenge } = options as { challenge: string };
  const added = await register(browser, authenticator.register({ challenge, origin, counter: 5 }));
  return { browser, person, authenticator, added, options };
}

type WithPasskey = Awaited<ReturnType<typeof withPasskey>>;

/** Signs in with an answer as given; all that is not given is right. */
async function attempt({ authenticator }: WithPasskey, given: Partial<HttpResponse> = {}) {
  const browser = api.browser();
  const challenge = await askToSignIn(browser);
  const answer = authenticator.signIn({ challenge, origin, counter: 6, ...given });
  return { browser, answer, response: await signIn(browser, answer) };
}

const counterOf = async ({ authenticator }: WithPasskey) => {
  const [row] = await api.test.query<{ counter: string }>(
    'select counter from passkey where credential_id = $1',
    [authenticator.id],
  );
  return Number(row?.counter);
};

test.serial(
  'a passkey is added in the settings and signs its person in without a password',
  async (t) => {
    const one = await withPasskey();
    t.is(arrivalOf(one.added), `${SECURITY} passkey_added`);
    t.like(one.options, {
      rp: { id: 'localhost', name: 'Gatehouse' },
      authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
    });
    const { browser, response } = await attempt(one);
    t.is(response.status, 303);
    t.regex(await (await browser.get('/library')).text(), new RegExp(one.person.handle));
    t.is(await counterOf(one), 6);
  },
);

test.serial('adding one needs the password', async (t) => {
  const { browser } = await people.signedIn();
  t.is((await askToRegister(browser, 'wrong')).status, 403);
});

test.serial('a challenge is answered once, also by a wrong answer', async (t) => {
  const one = await withPasskey();
  const { browser, answer } = await attempt(one);
  browser.cookies.delete('gatehouse_session');
  t.is((await signIn(browser, answer)).status, 422);
  const other = api.browser();
  const challenge = await askToSignIn(other);
  const right = one.authenticator.signIn({ challenge, origin, counter: 9 });
  const wrong = one.authenticator.signIn({ challenge, origin: 'https://evil.example', counter: 9 });
  t.is((await signIn(other, wrong)).status, 422);
  t.is((await signIn(other, right)).status, 422);
});

test.serial('of one answer sent twice at once, one signs in', async (t) => {
  const one = await withPasskey();
  const browser = api.browser();
  const challenge = await askToSignIn(browser);
  const answer = one.authenticator.signIn({ challenge, origin, counter: 6 });
  const both = await Promise.all([signIn(browser, answer), signIn(browser, answer)]);
  t.deepEqual(both.map(({ status }) => status).toSorted(), [303, 422]);
});

test.serial(
  'a challenge of another browser, of another ceremony or of no one does not count',
  async (t) => {
    const one = await withPasskey();
    const foreign = await askToSignIn(api.browser());
    t.is((await attempt(one, { challenge: foreign })).response.status, 422);
    const options = await (await askToRegister(one.browser, one.person.password)).json();
    const { challenge } = options as { challenge: string };
    t.is((await attempt(one, { challenge })).response.status, 422);
    t.is((await attempt(one, { challenge: 'bm90aGluZw' })).response.status, 422);
  },
);

test.serial('a challenge works for five minutes', async (t) => {
  const one = await withPasskey();
  const browser = api.browser();
  const challenge = await askToSignIn(browser);
  await api.test.advance(5 * 60_000 + 1_000);
  const answer = one.authenticator.signIn({ challenge, origin, counter: 6 });
  t.is((await signIn(browser, answer)).status, 422);
});

test.serial('origin, relying party and user verification are demanded', async (t) => {
  const one = await withPasskey();
  const wrong: Partial<HttpResponse>[] = [
    { origin: 'https://evil.example' },
    { origin: 'https://localhost' },
    { rpId: 'evil.example' },
    { isUserVerified: false },
  ];
  for (const given of wrong) {
    const { browser, response } = await attempt(one, given);
    t.is(response.status, 422, JSON.stringify(given));
    t.false(browser.cookies.has('gatehouse_session'));
  }
  t.is(await counterOf(one), 5);
  t.is((await attempt(one)).response.status, 303);
});

test.serial('the counter never goes back', async (t) => {
  const one = await withPasskey();
  t.is((await attempt(one, { counter: 5 })).response.status, 422);
  t.is((await attempt(one, { counter: 4 })).response.status, 422);
  t.is((await attempt(one, { counter: 0 })).response.status, 422);
  t.is((await attempt(one, { counter: 7 })).response.status, 303);
  t.is(await counterOf(one), 7);
});

test.serial('registration demands the same, and a passkey is registered once', async (t) => {
  const { browser, person } = await people.signedIn();
  const authenticator = createAuthenticator(person.id);
  const attempts: Partial<HttpResponse>[] = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isUserVerified: false },
    { challenge: 'bm90aGluZw' },
  ];
  const statusOf = async (given: Partial<HttpResponse>) => {
    const options = await (await askToRegister(browser, person.password)).json();
    const { challenge } = options as { challenge: string };
    const answer = authenticator.register({ challenge, origin, ...given });
    return (await register(browser, answer)).status;
  };
  for (const given of attempts) t.is(await statusOf(given), 400, JSON.stringify(given));
  t.is(await statusOf({}), 303);
  t.is(await statusOf({}), 400);
});

test.serial('a passkey can be removed by its person, and opens nothing then', async (t) => {
  const one = await withPasskey();
  const page = await (await one.browser.get(SECURITY)).text();
  const [, passkey_id] = /name="passkey_id" value="([^"]+)"/.exec(page)!;
  const remove = (browser: Browser, password = one.person.password) =>
    submit(browser, SECURITY, `${SECURITY}/passkeys/remove`, { passkey_id, password });
  const stranger = await people.signedIn();
  await remove(stranger.browser);
  t.is((await attempt(one)).response.status, 303);
  t.is((await remove(one.browser, 'wrong')).status, 422, 'it needs the password');
  const removed = await remove(one.browser);
  t.is(arrivalOf(removed), `${SECURITY} passkey_removed`);
  t.is((await attempt(one, { counter: 8 })).response.status, 422);
});

test.serial('answers that are none are 4xx and write nothing', async (t) => {
  const { browser } = await people.signedIn();
  const before = await people.count('passkey');
  for (const response of ['', '{', 'null', '[]', '{"id":"x"}', `{"id":"${'x'.repeat(10_000)}"}`]) {
    t.is((await register(browser, response)).status, 400, response.slice(0, 20));
    t.is((await signIn(api.browser(), response)).status, 400, response.slice(0, 20));
  }
  t.is(await people.count('passkey'), before);
});
