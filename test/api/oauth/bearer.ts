import test from 'ava';
import { newCredential } from '../../../domain/shared/ids.ts';
import { basic, newCode, postToken, readProfile } from '../../support/identity/oauth.ts';
import { api, tokens } from './scene.ts';

const { product } = tokens;

const statusOf = async (token: string) => (await readProfile(api, token)).status;

test('B1 no credential: 401 with WWW-Authenticate: Bearer and no error', async (t) => {
  for (const headers of [{}, { authorization: basic('x', 'y') }] as Record<string, string>[]) {
    const response = await api.request('/api/v1/me', { headers });
    t.is(response.status, 401);
    t.is(response.headers.get('www-authenticate'), 'Bearer');
    t.like(await response.json(), { error: 'unauthorized' });
  }
});

test('B2 unknown, expired, revoked, bad checksum or gk_: 401 with error="invalid_token"', async (t) => {
  const expired = await api.seed.token({ product });
  const revoked = await api.seed.token({ product });
  const disabled = await api.seed.token({ product });
  const removed = await api.seed.token({ product: await api.seed.product() });
  for (const [sql, value] of [
    ['update access_token set expires_at = gatehouse_now() where client_id = $1', expired.clientId],
    ['update access_token set revoked_at = gatehouse_now() where client_id = $1', revoked.clientId],
    ['update oauth_client set disabled_at = gatehouse_now() where id = $1', disabled.clientId],
    [
      `update product set state = 'removed' where id = (select product_id from oauth_client where id = $1)`,
      removed.clientId,
    ],
  ] as const) {
    await api.test.query(sql, [value]);
  }
  const { token } = await api.seed.token({ product });
  const bad = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  const tokens = [
    newCredential('gat_'),
    bad,
    'gat_x',
    'x',
    product.liveKey,
    ...[expired, revoked, disabled, removed].map((each) => each.token),
  ];
  for (const each of tokens) {
    const response = await readProfile(api, each);
    t.is(response.status, 401);
    t.is(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    t.is(response.headers.get('access-control-allow-origin'), '*');
  }
});

test('B3 a token in the query string or the body is ignored: 401', async (t) => {
  const { token } = await api.seed.token({ product });
  t.is((await api.request(`/api/v1/me?access_token=${token}`)).status, 401);
  const body = new URLSearchParams({ access_token: token });
  t.is((await api.request('/api/v1/me', { method: 'POST', body })).status, 405);
});

test('a 401 says what is wrong, and nothing of it tells whether a credential exists', async (t) => {
  const { token } = await api.seed.token({ product });
  const revoked = await api.seed.token({ product });
  const sql = 'update access_token set revoked_at = gatehouse_now() where client_id = $1';
  await api.test.query(sql, [revoked.clientId]);
  const check = '/api/v1/entitlements';
  const messageOf = async (path: string, headers: Record<string, string>) => {
    const method = path === '/api/v1/usage' ? 'POST' : 'GET';
    const response = await api.request(path, { method, headers });
    t.is(response.status, 401);
    const { error, message } = (await response.json()) as { error: string; message: string };
    t.is(error, 'unauthorized');
    return message;
  };
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
  t.regex(await messageOf(check, bearer(token)), /You sent a person's access token/);
  t.regex(await messageOf('/api/v1/me', bearer(product.liveKey)), /You sent an API key/);
  t.regex(await messageOf(check, bearer(product.liveKey.slice(0, -1))), /API key is cut off/);
  t.regex(await messageOf('/api/v1/usage', bearer(token.slice(0, -1))), /token is cut off/);
  t.regex(await messageOf('/api/v1/usage', { 'x-api-key': product.liveKey }), /another header/);
  t.regex(await messageOf(`${check}?key=${product.liveKey}`, {}), /not in the query/);
  const unknown = await messageOf('/api/v1/me', bearer(newCredential('gat_')));
  t.is(await messageOf('/api/v1/me', bearer(revoked.token)), unknown);
  t.is(await messageOf('/api/v1/usage', bearer(revoked.token)), unknown);
});

test('B4 bearer in lower case works', async (t) => {
  const { token } = await api.seed.token({ product });
  const headers = { authorization: `bearer ${token}` };
  t.is((await api.request('/api/v1/me', { headers })).status, 200);
});

test('B5 a person or client that was deleted: 404, also where the token was revoked', async (t) => {
  for (const table of ['person', 'oauth_client']) {
    for (const isRevoked of [false, true]) {
      const { token, personId, clientId } = await api.seed.token({ product });
      if (isRevoked) {
        const sql = 'update access_token set revoked_at = now() where client_id = $1';
        await api.test.query(sql, [clientId]);
      }
      const id = table === 'person' ? personId : clientId;
      await api.test.query(`update ${table} set deleted_at = now() where id = $1`, [id]);
      const response = await readProfile(api, token);
      t.is(response.status, 404);
      t.like(await response.json(), { error: 'not_found' });
    }
  }
});

test('B6 without the entitlements scope there is no entitlement key; no email ever; no-store', async (t) => {
  const person = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: person.id }, { source: 'pay_1' });
  const narrow = await api.seed.token({ product, person, scope: 'identity' });
  const response = await readProfile(api, narrow.token);
  t.is(response.headers.get('cache-control'), 'no-store');
  const profile = (await response.json()) as Record<string, unknown>;
  t.deepEqual(Object.keys(profile), ['id', 'handle', 'display_name', 'image']);
  const wide = await api.seed.token({ product, person });
  const text = await (await readProfile(api, wide.token)).text();
  t.deepEqual(JSON.parse(text).entitlement, {
    product_id: product.id,
    active: true,
    type: 'purchase',
    source: 'pay_1',
    ends_at: null,
  });
  t.false(text.includes(person.email) || text.includes('@'));
});

test("the entitlement is that of the token's own product only", async (t) => {
  const person = await api.seed.person();
  const other = await api.seed.product();
  await api.seed.grant({ productId: other.id, personId: person.id });
  const { token } = await api.seed.token({ product, person });
  const profile = (await (await readProfile(api, token)).json()) as {
    entitlement: Record<string, unknown>;
  };
  t.like(profile.entitlement, { product_id: product.id, active: false });
});

test('a token without the needed scope: 403 insufficient_scope, and it costs one read', async (t) => {
  const client = await api.seed.client({ product: null });
  const { token } = await api.seed.token({ product, clientId: client.clientId, scope: 'mobile' });
  const response = await readProfile(api, token);
  t.is(response.status, 403);
  t.like(await response.json(), { error: 'insufficient_scope' });
  const challenge = 'Bearer error="insufficient_scope", scope="identity"';
  t.is(response.headers.get('www-authenticate'), challenge);
  t.is(response.headers.get('ratelimit-remaining'), '599');
});

test('reads are limited per credential: each token has its own 600', async (t) => {
  const [one, two] = [await api.seed.token({ product }), await api.seed.token({ product })];
  const remaining = async (token: string) =>
    Number((await readProfile(api, token)).headers.get('ratelimit-remaining'));
  await remaining(one.token);
  t.true((await remaining(one.token)) < 599);
  t.is(await remaining(two.token), 599);
});

test('the image is a picture that is always the same, cacheable and embeddable', async (t) => {
  const { token } = await api.seed.token({ product });
  const { image } = (await (await readProfile(api, token)).json()) as { image: string };
  t.true(image.startsWith(`${api.url}/people/`));
  const response = await fetch(image);
  t.is(response.status, 200);
  t.regex(response.headers.get('content-type')!, /^image\/svg\+xml/);
  t.regex(response.headers.get('cache-control')!, /^public, max-age=/);
  t.is(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const picture = await response.text();
  t.is(await (await fetch(image)).text(), picture);
  const etag = response.headers.get('etag')!;
  const again = await fetch(image, { headers: { 'if-none-match': etag } });
  t.is(again.status, 304);
  t.is(await again.text(), '');
  for (const id of ['x', '%00', `${image.split('/')[4]}x`]) {
    t.is((await api.request(`/people/${id}/avatar.svg`)).status, 404);
  }
});

test('R1 R2 a person revokes an app: 401 on the next request, nobody else notices', async (t) => {
  const client = await api.seed.client({ product });
  const [person, other] = [await api.seed.person(), await api.seed.person()];
  const { clientId } = client;
  const mine = [
    await api.seed.token({ product, person, clientId }),
    await api.seed.token({ product, person, clientId, scope: 'identity' }),
  ];
  const elsewhere = await api.seed.token({ product, person });
  const theirs = await api.seed.token({ product, person: other, clientId });
  const browser = api.browser();
  await browser.signIn(person);
  const code = await newCode(browser, client);
  const page = await (await browser.get('/settings/apps')).text();
  t.true(page.includes(client.name) && page.includes(product.name));
  t.true(page.includes('who you are and whether you have access'));
  const action = `/settings/apps/${clientId}/revoke`;
  t.is((await browser.submit('/', { action, fields: { csrf: 'x' } })).status, 403);
  t.is(await statusOf(mine[0]!.token), 200);
  t.is(
    (await browser.submit('/settings/apps', { action })).headers.get('location'),
    '/settings/apps',
  );
  for (const { token } of mine) t.is(await statusOf(token), 401);
  t.is(await statusOf(elsewhere.token), 200);
  t.is(await statusOf(theirs.token), 200);
  const dead = await postToken(api, {
    headers: { authorization: basic(clientId, client.secret) },
    fields: { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri },
  });
  t.like(await dead.json(), { error: 'invalid_grant' });
  const after = await browser.get('/settings/apps');
  t.is(after.status, 200, 'the own session goes on');
  t.false((await after.text()).includes(client.name));
  const query = new URLSearchParams({ client_id: clientId, redirect_uri: client.redirectUri });
  t.regex(await (await browser.get(`/oauth/authorize?${query}`)).text(), /value="allow"/);
});

test('an app that is not connected, or unknown, changes nothing when it is revoked', async (t) => {
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  const revoke = async (id: string) =>
    (await browser.submit('/', { action: `/settings/apps/${id}/revoke` })).status;
  t.is(await revoke('gcl_0123456789012345678901'), 303);
  t.is(await revoke('%00'), 404);
  t.regex(await (await browser.get('/settings/apps')).text(), /No connected apps/);
});

test('R3 a client gives back its own token; unknown and foreign ones are answered alike', async (t) => {
  const client = await api.seed.client({ product });
  const { clientId, secret } = client;
  const { token } = await api.seed.token({ product, clientId });
  const foreign = await api.seed.token({ product });
  const path = '/api/oauth/revoke';
  const headers = { authorization: basic(clientId, secret) };
  const give = (value: string) => postToken(api, { path, headers, fields: { token: value } });
  for (const value of [newCredential('gat_'), 'x', foreign.token]) {
    const response = await give(value);
    t.is(response.status, 200);
    t.is(response.headers.get('cache-control'), 'no-store');
  }
  t.is(await statusOf(foreign.token), 200);
  t.is(await statusOf(token), 200);
  t.is((await give(token)).status, 200);
  t.is(await statusOf(token), 401);
  t.like(await (await give('')).json(), { error: 'invalid_request' });
  t.is((await postToken(api, { path, fields: { token } })).status, 401);
});
