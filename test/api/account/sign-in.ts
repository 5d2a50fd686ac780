import test from 'ava';
import { createUpkeepActivities } from '../../../activities/upkeep.activities.ts';
import { erasePerson } from '../../../domain/identity/account.repository.ts';
import { people, person, secure } from './scene.ts';

const { api } = people;

const right = { email: person.email, password: person.password };

test('the right password starts a session, kept as its hash only', async (t) => {
  const browser = api.browser();
  const response = await browser.signIn(person);
  t.is(response.status, 303);
  t.is(response.headers.get('location'), '/');
  const token = browser.cookies.get('gatehouse_session')!;
  const sessions = await api.test.query('select token_hash from session where person_id = $1', [
    person.id,
  ]);
  t.true(sessions.length >= 1);
  t.false(JSON.stringify(sessions).includes(token));
  t.is((await browser.get('/library')).status, 200);
});

test('a wrong password and an unknown address get the same answer in place', async (t) => {
  for (const email of [person.email, 'nobody@example.com', 'no address']) {
    const browser = api.browser();
    const response = await browser.signIn({ email, password: 'wrong' });
    t.is(response.status, 422);
    t.regex(await response.text(), /role="alert"[^<]*>\s*The email address or the password/);
    t.false(browser.cookies.has('gatehouse_session'));
  }
});

test('an email address is read without regard to case', async (t) => {
  const browser = api.browser();
  const email = person.email.toUpperCase();
  t.is((await browser.signIn({ email, password: person.password })).status, 303);
});

test('what was typed comes back escaped, and the password never', async (t) => {
  const browser = api.browser();
  const email = '"><script>alert(1)</script>';
  const page = await (await browser.signIn({ email, password: 'hunter2hunter2' })).text();
  t.false(page.includes('<script>'));
  t.false(page.includes('hunter2'));
});

test('a form without the token, or with that of another browser, is 403', async (t) => {
  const browser = api.browser();
  for (const csrf of ['', 'x']) {
    const response = await browser.submit('/sign-in', {
      action: '/sign-in',
      fields: { ...right, csrf },
    });
    t.is(response.status, 403);
    t.regex(response.headers.get('content-type')!, /html/);
  }
  const page = await (await api.browser().get('/sign-in')).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!;
  const fields = { ...right, csrf };
  t.is((await browser.submit('/sign-in', { action: '/sign-in', fields })).status, 403);
  t.false(browser.cookies.has('gatehouse_session'));
});

test('a form that another site submits is 403, even with its token', async (t) => {
  const browser = api.browser();
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of foreign) {
    const form = { action: '/sign-in', fields: right, headers: headers as Record<string, string> };
    t.is((await browser.submit('/sign-in', form)).status, 403, JSON.stringify(headers));
  }
  const own = { action: '/sign-in', fields: right, headers: { 'sec-fetch-site': 'same-origin' } };
  t.is((await browser.submit('/sign-in', own)).status, 303);
});

test('missing, repeated and unreadable fields are 400, JSON is 415', async (t) => {
  const browser = api.browser();
  const page = await (await browser.get('/sign-in')).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!;
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    api.request('/sign-in', { method: 'POST', body, headers: { cookie, 'content-type': type } });
  t.is((await post(`csrf=${csrf}&email=x`)).status, 400);
  t.is((await post(`csrf=${csrf}&email=x&email=y&password=z`)).status, 400);
  t.is((await post(`csrf=${csrf}&email=%00&password=z`)).status, 400);
  t.is((await post(JSON.stringify({ csrf, ...right }), 'application/json')).status, 415);
});

test('sign-in leads back to the page that asked for it, and to no other site', async (t) => {
  const browser = api.browser();
  const sent = await browser.get('/library');
  t.is(sent.headers.get('location'), '/sign-in');
  t.is((await browser.signIn(person)).headers.get('location'), '/library');
  const other = api.browser();
  await other.get('/sign-in?return_to=https://evil.example&next=//evil.example');
  t.is((await other.signIn(person)).headers.get('location'), '/');
});

test('each sign-in makes a new session and ends the one before', async (t) => {
  const browser = api.browser();
  await browser.signIn(person);
  const first = browser.cookies.get('gatehouse_session')!;
  browser.cookies.delete('gatehouse_session');
  const page = await (await browser.get('/sign-in')).text();
  browser.cookies.set('gatehouse_session', first);
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!;
  await browser.submit('/', { action: '/sign-in', fields: { ...right, csrf } });
  t.not(browser.cookies.get('gatehouse_session'), first);
  const old = await api.request('/library', { headers: { cookie: `gatehouse_session=${first}` } });
  t.is(old.status, 303);
});

test('signing out ends the session, and needs the token of a page', async (t) => {
  const browser = api.browser();
  await browser.signIn(person);
  const token = browser.cookies.get('gatehouse_session')!;
  const forged = { action: '/sign-out', fields: { csrf: 'x' } };
  t.is((await browser.submit('/library', forged)).status, 403);
  const response = await browser.submit('/library', { action: '/sign-out' });
  t.is(response.headers.get('location'), '/');
  t.deepEqual([...browser.cookies.keys()], ['gatehouse_device'], 'which opens nothing');
  const old = await api.request('/library', { headers: { cookie: `gatehouse_session=${token}` } });
  t.is(old.status, 303);
});

test('on plain http on loopback the cookies have neither prefix nor Secure', async (t) => {
  const cookie = (await api.request('/sign-in')).headers.getSetCookie()[0]!;
  t.regex(cookie, /^gatehouse_pre_session=gs_/);
  t.regex(cookie, /; path=\/; .*samesite=lax; httponly$/);
});

test('on https they have both, also behind a proxy that ends TLS', async (t) => {
  const response = await secure.request('/sign-in');
  t.is(response.status, 200);
  const cookie = response.headers.getSetCookie()[0]!;
  t.regex(cookie, /^__Host-gatehouse_pre_session=gs_.*; samesite=lax; secure; httponly$/);
  t.truthy(response.headers.get('strict-transport-security'));
});

test('the sign-in page has no form-action: signing in may lead to the checkout', async (t) => {
  const policy = async (path: string) =>
    (await api.request(path)).headers.get('content-security-policy')!;
  t.notRegex(await policy('/sign-in'), /form-action/);
  t.regex(await policy('/sign-in'), /frame-ancestors 'none'/);
  t.regex(await policy('/'), /form-action 'self'/);
});

const { query } = api.test;

const addressesOf = ({ id }: { id: string }) =>
  query<{ address: string; last_at: Date }>(
    'select address, last_at from sign_in_address where person_id = $1 order by address',
    [id],
  );

async function signInFrom(
  address: string,
  { email, password }: { email: string; password: string },
): Promise<number> {
  const fields = { email, password };
  const headers = { 'x-forwarded-for': address };
  const response = await api.browser().submit('/sign-in', { action: '/sign-in', fields, headers });
  return response.status;
}

test('a sign-in keeps its address, of IPv6 the network, once', async (t) => {
  const person = await api.seed.person();
  for (const address of ['192.0.2.7', '192.0.2.7', '2001:db8:1:2:3::4', '2001:db8:1:2::9']) {
    t.is(await signInFrom(address, person), 303);
  }
  const found = await addressesOf(person);
  t.deepEqual(
    found.map(({ address }) => address),
    ['192.0.2.7', '2001:db8:1:2::/64'],
  );
});

test('a wrong password keeps no address', async (t) => {
  const person = await api.seed.person();
  t.is(await signInFrom('192.0.2.8', { ...person, password: 'wrong' }), 422);
  t.deepEqual(await addressesOf(person), []);
});

test('an address that is used again after a day stays, one of 90 days ago goes', async (t) => {
  const person = await api.seed.person();
  await signInFrom('192.0.2.9', person);
  await signInFrom('192.0.2.10', person);
  await query(
    `update sign_in_address set last_at = gatehouse_now() - interval '91 days' where person_id = $1`,
    [person.id],
  );
  await signInFrom('192.0.2.10', person);
  await createUpkeepActivities(api, { maxDurationMs: Infinity }).removeEndedSessions();
  const found = await addressesOf(person);
  t.deepEqual(
    found.map(({ address }) => address),
    ['192.0.2.10'],
  );
});

test('a deleted account leaves no address', async (t) => {
  const person = await api.seed.person();
  await signInFrom('192.0.2.11', person);
  await api.database.transaction((em) => erasePerson(em, person.id));
  t.deepEqual(await addressesOf(person), []);
});
