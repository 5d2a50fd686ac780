import { Writable } from 'node:stream';
import test from 'ava';
import pino from 'pino';
import { startApi } from '../../support/http/api.ts';
import {
  authorizePath,
  decide,
  exchange,
  parametersOf,
  readProfile,
  basic,
  newProof,
  postToken,
  readRequestToken,
} from '../../support/identity/oauth.ts';
import { newCredential } from '../../../domain/shared/ids.ts';

let written = '';
const destination = new Writable({
  write(chunk: Buffer, _encoding, done) {
    written += chunk.toString();
    done();
  },
});
const api = await startApi({
  logger: pino({ level: 'trace' }, destination),
  limits: { authorize: 100_000, app_access: 100_000, token: 100_000 },
});
const client = await api.seed.client({ product: await api.seed.product() });
test.after.always(() => api.close());

test('a person signs in to an app: authorize, sign-in, consent, token, profile', async (t) => {
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  const person = await api.seed.person();
  const browser = api.browser();
  const path = authorizePath(client, { state: 'st at&e=%+é' });
  const sent = await browser.get(path);
  t.is(sent.status, 303);
  t.is(sent.headers.get('location'), '/sign-in');
  const signedIn = await browser.signIn(person);
  t.is(signedIn.headers.get('location'), path, 'the identical request');
  const allowed = await decide(browser, path);
  t.is(allowed.status, 303);
  const { code, ...rest } = parametersOf(allowed);
  t.deepEqual(rest, { state: 'st at&e=%+é' });
  const response = await exchange(api, { client, code: code! });
  t.is(response.status, 200);
  const token = (await response.json()) as Record<string, string>;
  t.like(token, {
    token_type: 'Bearer',
    expires_in: 2_592_000 as never,
    scope: 'identity entitlements',
  });
  const profile = await readProfile(api, token['access_token']!);
  t.is(profile.status, 200);
  t.deepEqual(await profile.json(), {
    id: person.id,
    handle: person.handle,
    display_name: `Person ${person.handle}`,
    image: `${api.url}/people/${person.id}/avatar.svg`,
    entitlement: { product_id: product.id, active: false, type: null, source: null, ends_at: null },
  });
});

test('E1 codes, tokens and secrets are 43 random characters of 62: 256 bits', (t) => {
  for (const prefix of ['gac_', 'gat_', 'gcs_'] as const) {
    const made = new Set(Array.from({ length: 200 }, () => newCredential(prefix)));
    t.is(made.size, 200);
    for (const each of made) t.regex(each, new RegExp(`^${prefix}[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`));
  }
  t.true(43 * Math.log2(62) > 160);
});

test('E3 logs and error pages contain no code, verifier, token, secret, state or cookie', async (t) => {
  const client = await api.seed.client({ product: await api.seed.product() });
  const browser = api.browser();
  const person = await api.seed.person();
  const { verifier, challenge } = newProof();
  const given = { state: 'hidden-state', code_challenge: challenge, code_challenge_method: 'S256' };
  const path = authorizePath(client, given);
  await browser.get(path);
  await browser.signIn(person);
  const { code } = parametersOf(await decide(browser, path));
  const fields = { code_verifier: verifier };
  const issued = await exchange(api, { client, code: code!, fields });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  await readProfile(api, token);
  const pages = [
    await browser.get(
      authorizePath(client, { ...given, redirect_uri: `https://x.example/${token}` }),
    ),
    await exchange(api, { client, code: code!, fields }),
    await postToken(api, {
      headers: { authorization: basic(client.clientId, `${client.secret}x`) },
    }),
    await readProfile(api, `${token}x`),
  ];
  const shown = (await Promise.all(pages.map((each) => each.text()))).join('\n');
  const cookies = [...browser.cookies.values()];
  t.true(cookies.length > 0 && written.includes('"route":"/oauth/authorize"'));
  for (const secret of [
    code!,
    verifier,
    token,
    client.secret,
    'hidden-state',
    person.email,
    ...cookies,
  ]) {
    t.false(written.includes(secret), `logged: ${secret.slice(0, 6)}`);
    t.false(shown.includes(secret), `shown: ${secret.slice(0, 6)}`);
  }
});

type Browser = ReturnType<typeof api.browser>;

const AT_ONCE = 8;
const PAUSE_MS = 11_000;

const answer = (browser: Browser, request: string, decision = 'allow') =>
  browser.submit('/', { action: '/oauth/authorize', fields: { request, decision } });

/** Somebody signed in, with an open consent page. */
async function asked() {
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.signIn(person);
  const path = authorizePath(client, { state: 'st' });
  const request = readRequestToken(await (await browser.get(path)).text());
  return { person, browser, request };
}

async function isOver(response: Response) {
  return response.status === 400 && (await response.text()).includes('data-reason="request_over"');
}

const codesOf = async ({ person }: { person: { id: string } }) =>
  (await api.test.query('select 1 from authorization_code where person_id = $1', [person.id]))
    .length;

test.serial(
  'a double click on Allow ends at the app each time, with a code that works',
  async (t) => {
    for (let round = 0; round < 10; round += 1) {
      const { browser, request } = await asked();
      const clicks = await Promise.all(
        Array.from({ length: AT_ONCE }, () => answer(browser, request)),
      );
      const codes = clicks.map((click) => {
        t.is(click.status, 303);
        t.true(click.headers.get('location')!.startsWith(client.redirectUri));
        t.is(parametersOf(click)['state'], 'st');
        return parametersOf(click)['code']!;
      });
      t.is(new Set(codes).size, AT_ONCE);
      for (const code of codes) {
        const issued = await exchange(api, { client, code });
        t.is(issued.status, 200);
        const { access_token: token } = (await issued.json()) as { access_token: string };
        t.is((await readProfile(api, token)).status, 200);
      }
      for (const code of codes)
        t.is((await exchange(api, { client, code })).status, 400, 'once each');
    }
  },
);

test.serial('a double click on Do not allow is refused twice, and leaves no code', async (t) => {
  const one = await asked();
  const clicks = await Promise.all([1, 2].map(() => answer(one.browser, one.request, 'deny')));
  for (const click of clicks) t.like(parametersOf(click), { error: 'access_denied', state: 'st' });
  t.is(await codesOf(one), 0);
});

test.serial('of two opposite answers at once one counts, and no third changes it', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const one = await asked();
    const both = await Promise.all(
      ['allow', 'deny'].map((decision) => answer(one.browser, one.request, decision)),
    );
    const over = await Promise.all(both.map(isOver));
    t.deepEqual(over.toSorted(), [false, true]);
    const hasAllowed = over[0] === false;
    t.is(await codesOf(one), hasAllowed ? 1 : 0);
    const opposite = hasAllowed ? 'deny' : 'allow';
    t.true(await isOver(await answer(one.browser, one.request, opposite)));
    t.is(await codesOf(one), hasAllowed ? 1 : 0);
  }
});

test.serial(
  'the same answer from another session of the person, or later, is too late',
  async (t) => {
    const one = await asked();
    t.is((await answer(one.browser, one.request)).status, 303);
    const other = api.browser();
    await other.signIn(one.person);
    t.true(await isOver(await answer(other, one.request)));
    await api.test.advance(PAUSE_MS);
    t.true(await isOver(await answer(one.browser, one.request)));
    t.is(await codesOf(one), 1);
  },
);

test.serial('a second click does not bring back what was taken back in between', async (t) => {
  const one = await asked();
  await answer(one.browser, one.request);
  const revoke = `/settings/apps/${client.clientId}/revoke`;
  t.is((await one.browser.submit('/settings/apps', { action: revoke })).status, 303);
  t.true(await isOver(await answer(one.browser, one.request)));
  t.is(await codesOf(one), 0);
});
