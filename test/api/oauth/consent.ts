import test from 'ava';
import {
  authorizePath,
  decide,
  exchange,
  parametersOf,
  readProfile,
  readRequestToken,
} from '../../support/identity/oauth.ts';
import { api, consent } from './scene.ts';

const { product, client, publicClient, person, browser } = consent;

// The tests that count rows run one by one, before the others.
async function countRows() {
  const [row] = await api.test.query<{ n: number }>(
    `select (select count(*) from authorization_code)::int + (select count(*) from consent)::int as n`,
  );
  return row!.n;
}

test.serial('A16 the person refuses: redirect access_denied, and no code', async (t) => {
  const before = await countRows();
  const path = authorizePath(client, { state: 'st' });
  const response = await decide(browser, path, { decision: 'deny' });
  t.is(response.status, 303);
  t.like(parametersOf(response), { error: 'access_denied', state: 'st' });
  t.is(await countRows(), before);
});

test.serial(
  'A18 a consent POST without the CSRF token or from another site: 403, no code row',
  async (t) => {
    const before = await countRows();
    const path = authorizePath(client);
    t.is((await decide(browser, path, { csrf: '' })).status, 403);
    t.is((await decide(browser, path, { csrf: 'x' })).status, 403);
    const request = readRequestToken(await (await browser.get(path)).text());
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const fields = { request, decision: 'allow' };
      const response = await browser.submit('/', { action: '/oauth/authorize', fields, headers });
      t.is(response.status, 403);
    }
    t.is((await api.request('/oauth/authorize', { method: 'POST' })).status, 401);
    t.is(await countRows(), before);
  },
);

test('A19 altered and added fields of the consent form are ignored: the request was kept', async (t) => {
  const path = authorizePath(client, { scope: 'identity', state: 'mine' });
  const response = await decide(browser, path, {
    redirect_uri: 'https://evil.example/cb',
    scope: 'identity entitlements mobile',
    state: 'theirs',
    client_id: publicClient.clientId,
  });
  t.true(response.headers.get('location')!.startsWith('https://app.example/cb?code='));
  t.is(parametersOf(response)['state'], 'mine');
  const { code } = parametersOf(response);
  const token = (await (await exchange(api, { client, code: code! })).json()) as { scope: string };
  t.is(token.scope, 'identity');
});

test('whoever is somebody else signs out, and signs in to the same request', async (t) => {
  const [visitor, other] = [api.browser(), await api.seed.person()];
  await visitor.signIn(person);
  const path = authorizePath(client, { state: 'a b%&+é"' });
  const page = await (await visitor.get(`${path}&x=1`)).text();
  const kept = /name="return_to" value="([^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&');
  t.is(kept, path);
  const form = { action: '/sign-out', fields: { return_to: kept } };
  const signedOut = await visitor.submit(path, form);
  t.is(signedOut.headers.get('location'), path);
  t.false(visitor.cookies.has('gatehouse_session'));
  const sent = await visitor.follow(signedOut);
  t.is(sent.headers.get('location'), '/sign-in');
  t.regex(await (await visitor.get('/sign-in')).text(), /Synth &amp; Web/);
  t.is((await visitor.signIn(other)).headers.get('location'), path);
  t.regex(await (await visitor.get(path)).text(), new RegExp(`@${other.handle}`));
});

test('signing out leads to a request of an app or to the store, and is refused elsewhere', async (t) => {
  const elsewhere = [
    'https://evil.example/oauth/authorize?x=1',
    '//evil.example/oauth/authorize?x=1',
    '/\\evil.example',
    '/library',
    '/oauth/authorize',
    '/oauth/authorize/../../library?x=1',
    '/oauth/authorize?x=1\r\nset-cookie: a=b',
    '/oauth/authorize?x=é',
    `/oauth/authorize?x=${'x'.repeat(4_096)}`,
    ['/oauth/authorize?x=1', '/oauth/authorize?x=2'],
  ];
  for (const return_to of elsewhere) {
    const visitor = api.browser();
    await visitor.signIn(person);
    const form = { action: '/sign-out', fields: { return_to } };
    const response = await visitor.submit('/library', form);
    t.is(response.status, 400, String(return_to));
    t.is(response.headers.get('location'), null, String(return_to));
    t.true(visitor.cookies.has('gatehouse_session'));
  }
});

test('a consent page is answered only by the person it was shown to', async (t) => {
  const path = authorizePath(client);
  const request = readRequestToken(await (await browser.get(path)).text());
  const other = api.browser();
  await other.signIn(await api.seed.person());
  const action = '/oauth/authorize';
  const answer = (by: typeof browser, token: string) =>
    by.submit('/', { action, fields: { request: token, decision: 'allow' } });
  for (const token of [request, '', '\0', 'gs_x', 'x'.repeat(10_000)]) {
    const response = await answer(other, token);
    t.is(response.status, 400);
    t.regex(await response.text(), /data-reason="request_over"/);
  }
  t.is((await answer(browser, request)).status, 303);
});

test.serial('the client is judged again when the person answers', async (t) => {
  for (const change of ['disabled_at = now()', 'deleted_at = now()']) {
    const own = await api.seed.client({ product });
    const request = readRequestToken(await (await browser.get(authorizePath(own))).text());
    await api.test.query(`update oauth_client set ${change} where id = $1`, [own.clientId]);
    const before = await countRows();
    const response = await browser.submit('/', {
      action: '/oauth/authorize',
      fields: { request, decision: 'allow' },
    });
    t.is(response.status, 400);
    t.is(response.headers.get('location'), null);
    t.is(await countRows(), before);
  }
});

test.serial('A20 GET alone, HEAD and prefetch never create a code', async (t) => {
  const before = await countRows();
  await browser.get(authorizePath(client));
  t.is((await browser.get(authorizePath(client), { 'sec-purpose': 'prefetch' })).status, 204);
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const init = { method: 'HEAD', headers: { cookie } };
  t.is((await api.request(authorizePath(client), init)).status, 204);
  t.is(await countRows(), before);
});

test('A21 A22 A23 A24 the headers of sign-in, consent and settings pages', async (t) => {
  for (const path of ['/sign-in', authorizePath(client), '/settings/apps']) {
    const visitor = path === '/sign-in' ? api.browser() : browser;
    const { headers, status } = await visitor.get(path);
    t.is(status, 200);
    const policy = headers.get('content-security-policy')!;
    t.regex(policy, /frame-ancestors 'none'/);
    t.regex(policy, /default-src 'none'/);
    if (path !== '/settings/apps') t.notRegex(policy, /form-action/);
    t.is(headers.get('x-frame-options'), 'DENY');
    t.is(headers.get('referrer-policy'), 'same-origin');
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('access-control-allow-origin'), null);
  }
  const preflight = await api.request('/oauth/authorize', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
  });
  t.is(preflight.headers.get('access-control-allow-origin'), null);
});

test('the consent page states identifier, handle, name and access, and nothing else', async (t) => {
  const main = async () => {
    const page = await (await browser.get(authorizePath(client))).text();
    return /<main[\s\S]*<\/main>/.exec(page)![0];
  };
  const page = await main();
  t.true(page.includes(person.id) && page.includes(`@${person.handle}`));
  t.true(page.includes(`Person ${person.handle}`));
  t.true(page.includes('Synth &amp; Web') && page.includes('Pocket &lt;Synth&gt;'));
  t.true(page.includes('data-access="false"'));
  t.false(page.includes(person.email));
  const seen = page.replaceAll(/<input[^>]*>/g, '');
  t.false(seen.includes(client.redirectUri) || seen.includes(client.clientId));
  await api.seed.grant({ productId: product.id, personId: person.id });
  t.true((await main()).includes('data-access="true"'));
});

test('consent is always shown: there is no shortcut for an app that was allowed before', async (t) => {
  await decide(browser, authorizePath(client));
  const again = await browser.get(authorizePath(client));
  t.is(again.status, 200);
  t.regex(await again.text(), /value="allow"/);
});

test('a person without a verified email address is refused', async (t) => {
  const visitor = api.browser();
  await visitor.signIn(await api.seed.person({ isEmailVerified: false }));
  const response = await visitor.get(authorizePath(client));
  t.is(response.status, 403);
  t.regex(await response.text(), /Confirm your email address/);
});

test('a first-party client without a product asks for what it is: no product, no access', async (t) => {
  const own = await api.seed.client({ product: null });
  const page = await (await browser.get(authorizePath(own))).text();
  t.regex(page, /An app by Gatehouse/);
  t.false(page.includes('data-access'));
  const path = authorizePath(own, { scope: 'identity entitlements mobile' });
  const { code } = parametersOf(await decide(browser, path));
  const token = (await (await exchange(api, { client: own, code: code! })).json()) as Record<
    string,
    string
  >;
  t.is(token['scope'], 'identity entitlements mobile');
  const profile = await (await readProfile(api, token['access_token']!)).json();
  t.deepEqual(Object.keys(profile as object), ['id', 'handle', 'display_name', 'image']);
});
