import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import {
  authorizePath,
  exchange,
  parametersOf,
  readProfile,
  readRequestToken,
} from '../../support/identity/oauth.ts';

const api = await startApi({ limits: { authorize: 100_000, token: 100_000 } });
const client = await api.seed.client({ product: await api.seed.product() });
test.after.always(() => api.close());

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
