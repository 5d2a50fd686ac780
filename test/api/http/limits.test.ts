import test from 'ava';
import { DEFAULT_LIMITS } from '../../../api/http/limits.ts';
import { ROUTES } from '../../../api/routes.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import { authorizePath, basic, postToken, type Fields } from '../../support/identity/oauth.ts';

const USER = '00000000-0000-0000-0000-000000000000';
const limits = { api_reads: 3, unknown_credential: 2, buy: 2, sign_in: 2 };
const api = await startApi({ limits });
const proxied = await startApi({ limits, config: { isProxyTrusted: true } });
const product = await api.seed.product();
const client = await api.seed.client({ product });
test.after.always(() => Promise.all([api.close(), proxied.close()]));

const ask = (key: string, init: RequestInit = {}) =>
  api.request(`/api/v1/entitlements?user_id=${USER}`, {
    ...init,
    headers: { authorization: `Bearer ${key}` },
  });

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow(of = api) {
  const [row] = await of.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await of.test.advance((row!.left + 1) * 1_000);
}

test('the limits are the decided ones', (t) => {
  t.is(DEFAULT_LIMITS.api_reads, 600);
  t.is(DEFAULT_LIMITS.unknown_credential, 600);
  t.is(DEFAULT_LIMITS.buy, 120);
  t.is(DEFAULT_LIMITS.badge, 120);
  t.is(DEFAULT_LIMITS.pages, 600);
  t.is(DEFAULT_LIMITS.account_failures, 10);
  t.is(DEFAULT_LIMITS.device_failures, 10);
  t.is(DEFAULT_LIMITS.address_failures, 30);
});

test('whatever a builder or an operator changes is limited per person', (t) => {
  const changes = ROUTES.filter(
    ({ method, credential }) => method === 'POST' && ['session', 'operator'].includes(credential),
  );
  const unlimited = changes.filter(({ limit }) => limit === null).map(({ path }) => path);
  t.deepEqual(unlimited, ['/sign-out'], 'ending a session always works');
});

test.serial('reads are limited per credential in fixed windows of a minute', async (t) => {
  await startWindow();
  const answers = [await ask(product.liveKey), await ask(product.liveKey, { method: 'HEAD' })];
  t.deepEqual(
    answers.map(({ headers }) => headers.get('ratelimit-remaining')),
    ['2', '1'],
  );
  await api.request('/api/v1/entitlements', { method: 'OPTIONS' });
  t.is((await ask(product.liveKey)).headers.get('ratelimit-limit'), '3');
  const refused = await ask(product.liveKey);
  t.is(refused.status, 429);
  t.like(await refused.json(), { error: 'rate_limited' });
  const waitS = Number(refused.headers.get('retry-after'));
  t.true(Number.isInteger(waitS) && waitS >= 1 && waitS <= 60);
  t.is(refused.headers.get('ratelimit-reset'), String(waitS));
  t.is(refused.headers.get('ratelimit-remaining'), '0');
  t.is((await ask(product.testKey)).status, 200, 'another credential has its own bucket');
  await api.test.advance(waitS * 1_000);
  t.is((await ask(product.liveKey)).status, 200, 'the counter resets at the boundary');
});

test.serial('a request that is answered 400 costs one as well', async (t) => {
  await startWindow();
  const response = await api.request('/api/v1/entitlements', {
    headers: { authorization: `Bearer ${product.liveKey}` },
  });
  t.is(response.status, 400);
  t.is(response.headers.get('ratelimit-remaining'), '2');
});

test.serial('unknown credentials share a bucket of their address', async (t) => {
  await startWindow();
  t.is((await ask(newCredential('gk_live_'))).status, 401);
  t.is((await ask('gk_live_x')).status, 401);
  t.is((await ask(newCredential('gk_live_'))).status, 429);
  t.is((await ask(product.liveKey)).status, 200);
});

test.serial('the buy link is limited per address, and its refusal is a page', async (t) => {
  await startWindow();
  await api.request('/buy/unknown');
  await api.request('/buy/unknown');
  const refused = await api.request('/buy/unknown');
  t.is(refused.status, 429);
  t.regex(refused.headers.get('content-type')!, /text\/html/);
  t.regex(await refused.text(), /data-error="rate_limited"/);
});

test('pages share a wide bucket of their address, signed in or not; what they are drawn with is free', async (t) => {
  const narrow = await startApi({ limits: { pages: 3 } });
  const person = await narrow.seed.person();
  const browser = narrow.browser();
  await browser.signIn(person);
  t.is((await browser.get('/settings/profile')).status, 200);
  t.is((await narrow.request('/')).status, 200);
  for (const path of ['/', '/sign-in', '/settings/profile', '/console']) {
    const refused = await browser.get(path);
    t.is(refused.status, 429, path);
    t.regex(refused.headers.get('retry-after')!, /^([1-9]|[1-5][0-9]|60)$/);
    t.regex(await refused.text(), /data-error="rate_limited"/);
  }
  for (const path of ['/assets/base.css', '/openapi.json', '/api/health', '/api/ready']) {
    t.is((await narrow.request(path)).status, 200, path);
  }
  t.is((await browser.submit('/openapi.json', { action: '/sign-out' })).status, 403, 'not 429');
  await narrow.close();
});

test('pictures of people count as pages', async (t) => {
  const narrow = await startApi({ limits: { pages: 2 } });
  const people = `/people/${USER}`;
  t.is((await narrow.request(`${people}/avatar.svg`)).status, 200);
  t.is((await narrow.request(`${people}/image/${'0'.repeat(32)}.webp`)).status, 404);
  for (const picture of ['avatar.svg', `image/${'0'.repeat(32)}.webp`]) {
    const refused = await narrow.request(`${people}/${picture}`);
    t.is(refused.status, 429, picture);
    t.truthy(refused.headers.get('retry-after'));
  }
  await narrow.close();
});

test.serial(
  'a person allows and revokes apps ten times a minute, all of them together',
  async (t) => {
    await startWindow();
    const browser = api.browser();
    await browser.signIn(await api.seed.person());
    const apps = '/settings/apps';
    const revoke = () =>
      browser.submit(apps, { action: `${apps}/${client.clientId}/revoke`, fields: {} });
    const allow = () =>
      browser.submit(apps, {
        action: '/oauth/authorize',
        fields: { request: 'x', decision: 'allow' },
      });
    for (let n = 0; n < 5; n += 1) {
      t.is((await revoke()).status, 303);
      t.is((await allow()).status, 400);
    }
    t.is((await revoke()).status, 429);
    t.is((await allow()).status, 429);
    await startWindow();
    t.is((await revoke()).status, 303);
  },
);

test.serial('forwarded addresses count only behind a trusted proxy, the last one', async (t) => {
  const remaining = async (of: typeof api, address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await of.request('/buy/unknown', { headers })).headers.get('ratelimit-remaining');
  };
  await startWindow();
  t.is(await remaining(api, '198.51.100.1'), '1');
  t.is(await remaining(api, '198.51.100.2'), '0');
  await startWindow(proxied);
  t.is(await remaining(proxied, '198.51.100.1'), '1');
  t.is(await remaining(proxied, '198.51.100.2'), '1');
  t.is(await remaining(proxied, '203.0.113.9, 198.51.100.2'), '0');
});

test.serial('a forwarded address with its port is the address', async (t) => {
  const remaining = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await proxied.request('/buy/unknown', { headers })).headers.get('ratelimit-remaining');
  };
  await startWindow(proxied);
  t.is(await remaining('198.51.100.3:5555'), '1');
  t.is(await remaining('203.0.113.9, 198.51.100.3'), '0');
  t.is(await remaining('[2001:db8::3]:443'), '1');
  t.is(await remaining('[2001:db8::4]'), '0', 'one network is one caller');
  t.is(await remaining('198.51.100.4:80'), '1', 'another has a bucket of its own');
});

test('callers whom a trusted proxy does not tell apart share no bucket: they are refused', async (t) => {
  for (const address of [
    'unknown',
    '_hidden',
    '5555',
    '198.51.100.1,',
    '198.51.100.300',
    '[x]:1',
  ]) {
    const headers = { 'x-forwarded-for': address };
    const page = await proxied.request('/sign-in', { headers });
    t.is(page.status, 400, address);
    t.is((await proxied.request('/api/v1/me', { headers })).status, 400, address);
    t.is(
      (await api.request('/sign-in', { headers })).status,
      200,
      'without a proxy it is no matter',
    );
  }
  t.is((await proxied.request('/sign-in')).status, 200, 'the proxy asks for itself');
});

const sendAs = (id: string, secret: string, fields: Fields = { grant_type: 'x' }) =>
  postToken(api, { headers: { authorization: basic(id, secret) }, fields });

test('OAuth: the limits are the decided ones', (t) => {
  t.is(DEFAULT_LIMITS.token, 60);
  t.is(DEFAULT_LIMITS.authorize, 120);
  t.is(DEFAULT_LIMITS.app_access, 10);
});

test.serial(
  'T22 the 61st request in a minute that is not proven is 429, and so is the 61st that is',
  async (t) => {
    await startWindow();
    const ways = [
      () => sendAs(client.clientId, newCredential('gcs_')),
      () => postToken(api, { fields: { client_id: client.clientId } }),
      () => sendAs(client.clientId.replace('_', '%5F'), 'x'),
    ];
    for (let n = 0; n < 60; n += 1) t.not((await ways[n % 3]!()).status, 429);
    const proven = () => sendAs(client.clientId, client.secret);
    for (let n = 0; n < 60; n += 1) t.is((await proven()).status, 400);
    for (const way of [...ways, proven]) {
      const response = await way();
      t.is(response.status, 429);
      t.is(response.headers.get('cache-control'), 'no-store');
      t.is(response.headers.get('pragma'), 'no-cache');
      t.like(await response.json(), { error: 'rate_limited' });
      const waitS = Number(response.headers.get('retry-after'));
      t.true(Number.isInteger(waitS) && waitS >= 1 && waitS <= 60);
    }
    const other = await api.seed.client({ product });
    t.is((await sendAs(other.clientId, other.secret)).status, 400, 'another client has its own');
    await startWindow();
    t.is((await sendAs(client.clientId, client.secret)).status, 400, 'the counter starts anew');
  },
);

test.serial('clients that are not registered share the 60 of their address', async (t) => {
  await startWindow();
  for (let n = 0; n < 60; n += 1) {
    const id = n % 2 === 0 ? `gcl_${String(n).padStart(22, '0')}` : `someone${n}`;
    t.is((await sendAs(id, 'x')).status, 401);
  }
  t.is((await sendAs('gcl_9999999999999999999999', 'x')).status, 429);
  t.is((await postToken(api, {})).status, 429);
  t.is((await sendAs(client.clientId, client.secret)).status, 400);
});

test.serial(
  'authorize is limited to 120 per minute and address, and its refusal is a page',
  async (t) => {
    await startWindow();
    for (let n = 0; n < 120; n += 1) await api.request('/oauth/authorize');
    const refused = await api.request(authorizePath(client));
    t.is(refused.status, 429);
    t.regex(refused.headers.get('content-type')!, /text\/html/);
    t.regex(await refused.text(), /data-error="rate_limited"/);
  },
);

test('the maps of the store count as views of pages', async (t) => {
  const narrow = await startApi({ limits: { pages: 3 } });
  try {
    for (const path of ['/robots.txt', '/sitemap.xml', '/sitemap/pages.xml']) {
      t.is((await narrow.request(path)).status, 200, path);
    }
    t.is((await narrow.request('/sitemap/products-1.xml')).status, 429);
  } finally {
    await narrow.close();
  }
});
