import test from 'ava';
import { findNearestRoute } from '../../../api/http/nearest-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { startApi } from '../../support/http/api.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { explainCredential, type Carrier, type Needed } from '../../../api/http/credential.ts';

const api = await startApi({ limits: { sign_in: 1_000, address_failures: 1_000 } });
const narrow = await startApi({ limits: { pages: 5 } });
const person = await api.seed.person();
const browser = api.browser();
await browser.signIn(person);
test.after.always(() => Promise.all([api.close(), narrow.close()]));

const ID = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
const CHECK = 'GET /api/v1/entitlements';
const TOKEN = 'POST /api/oauth/token';

const cases: [string, string | null][] = [
  ['/api/v1/entitlement', CHECK],
  ['/api/v1/entitlements/', CHECK],
  ['/api/v1/Entitlements', CHECK],
  ['/api/v1/entitlments', CHECK],
  [`/api/v1/entitlements/${ID}`, CHECK],
  ['/api/entitlements', CHECK],
  ['/v1/entitlements', CHECK],
  ['/oauth/token', TOKEN],
  ['/oauth2/token', TOKEN],
  ['/token', TOKEN],
  ['/api/v1/oauth/token/', TOKEN],
  ['/api/oauth/authorize', 'GET /oauth/authorize'],
  ['/v1/usage', 'POST /api/v1/usage'],
  ['/api/v1/usages', 'POST /api/v1/usage'],
  ['/api/me', 'GET /api/v1/me'],
  ['/oauth/revoke', 'POST /api/oauth/revoke'],
  ['/api/v1', null],
  ['/api/v1/purchases', null],
  ['/api/v1/no', null],
  ['/oauth', null],
  [`/${'entitlements/'.repeat(400)}`, null],
];

for (const [path, meant] of cases) {
  test(`a path that is ${meant ? `nearly ${meant}` : 'near nothing'}: ${path.slice(0, 60)}`, (t) => {
    const found = findNearestRoute(path, ROUTES);
    t.is(found && `${found.method} ${found.path}`, meant);
  });
}

const typeOf = (response: Response) => response.headers.get('content-type')?.split(';')[0];

test('a path that nearly is one of the API answers with the one that is meant', async (t) => {
  for (const [path, init, meant] of [
    ['/api/v1/entitlements/', {}, CHECK],
    ['/v1/entitlements', {}, CHECK],
    ['/oauth/token', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }, TOKEN],
  ] as const) {
    const response = await api.request(path, init);
    t.is(response.status, 404);
    t.is(typeOf(response), 'application/json');
    const message = `There is nothing here. Did you mean ${meant}?`;
    t.like(await response.json(), { error: 'not_found', message });
  }
});

test('who sends a Bearer or JSON to a path that does not exist reads JSON', async (t) => {
  const headers = { 'content-type': 'application/json' };
  for (const init of [
    { headers: { authorization: 'Bearer x' } },
    { method: 'POST', headers, body: '{}' },
  ]) {
    const response = await api.request('/nothing', init);
    t.is(response.status, 404);
    t.is(typeOf(response), 'application/json');
    t.like(await response.json(), { error: 'not_found', message: 'There is nothing here.' });
  }
});

test('a person who mistypes an address reads a page, with the same hint', async (t) => {
  const response = await api.request('/token', { headers: { accept: 'application/json' } });
  t.is(typeOf(response), 'text/html');
  t.regex(await response.text(), /Did you mean POST \/api\/oauth\/token\?/);
  t.is(typeOf(await api.request('/nothing')), 'text/html');
});

test('a page that exists stays a page, whoever asks', async (t) => {
  const headers = { authorization: 'Bearer x' };
  const response = await api.request('/p/unknown-product', { headers });
  t.is(response.status, 404);
  t.is(typeOf(response), 'text/html');
});

const key = newCredential('gk_live_');
const testKey = newCredential('gk_test_');
const token = newCredential('gat_');
const none: Carrier = { query: '', headers: {} };
const bearer = (credential: string): Carrier => ({
  query: '',
  headers: { authorization: `Bearer ${credential}` },
});
const header = (authorization: string): Carrier => ({ query: '', headers: { authorization } });
const cut = (text: string) => text.slice(0, -1);
const changed = (text: string) => text.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

const CREDENTIALS: [string, Needed, Carrier, RegExp][] = [
  ['nothing', 'key', none, /API key \(gk_live_.*no Authorization header/],
  ['nothing, for a token', 'token', none, /access token \(gat_.*no Authorization header/],
  ['nothing, for both', 'key_or_token', none, /\(gat_\.\.\.\) or a product's API key/],
  ['in the query', 'key', { query: `api_key=${key}`, headers: {} }, /not in the query.*replace/],
  ['a token in the query', 'token', { query: `a=b&access_token=${token}`, headers: {} }, /query/],
  ['in another header', 'key', { query: '', headers: { 'x-api-key': key } }, /another header/],
  [
    'Bearer in another header',
    'token',
    { query: '', headers: { 'x-auth': `Bearer ${token}` } },
    /another header/,
  ],
  ['no Bearer', 'key', header(key), /word Bearer is missing/],
  ['another word', 'key', header(`Token ${key}`), /word Bearer is missing/],
  ['Basic', 'key', header('Basic eDp5'), /not by Basic.*API key/],
  ['an empty variable', 'key', header('Bearer '), /nothing after Bearer/],
  ['a space within', 'key', header(`Bearer ${key} x`), /has a space/],
  ['another scheme', 'key', header('Digest username=x'), /another form/],
  ['cut off', 'key', bearer(cut(key)), /^This API key is cut off.*checksum/],
  ['a character changed', 'key', bearer(changed(testKey)), /^This API key is cut off or changed/],
  ['the prefix alone', 'token', bearer('gat_'), /^This access token is cut off/],
  [
    'a token where a key belongs',
    'key',
    bearer(token),
    /API key.*You sent a person's access token/,
  ],
  ['cut off and of the other kind', 'key', bearer(cut(token)), /You sent a person's access token/],
  ['a key where a token belongs', 'token', bearer(key), /access token.*You sent an API key/],
  ['a client secret', 'key', bearer(newCredential('gcs_')), /You sent a client secret/],
  ['a client id', 'key_or_token', bearer(`gcl_${'0'.repeat(22)}`), /You sent a client id/],
  [
    'a code',
    'token',
    bearer(newCredential('gac_')),
    /authorization code.*POST \/api\/oauth\/token/,
  ],
  ['a signing secret', 'key', bearer(newCredential('whsec_')), /signing secret/],
  ['no prefix of ours', 'key', bearer('sk_live_x'), /begins with none of these/],
  ['unknown', 'key', bearer(key), /^This API key is not valid.*revoked.*48 hours/],
  ['a key for both', 'key_or_token', bearer(testKey), /^This API key is not valid/],
  ['an unknown token', 'token', bearer(token), /^This access token is not valid.*again\.$/],
];

for (const [title, needed, carrier, expected] of CREDENTIALS) {
  test(`a 401 says what is wrong with the credential: ${title}`, (t) => {
    const message = explainCredential(carrier, needed);
    t.regex(message, expected);
    t.regex(message, /^[A-Z].*[.?]$/);
    for (const credential of [key, testKey, token]) {
      t.false(message.includes(credential.slice(8, 20)), 'nothing of it is repeated');
    }
  });
}

test.serial('an error page keeps the navigation of a signed-in person', async (t) => {
  for (const path of ['/nowhere', '/p/never-was', '/console/products/never-was', '/operator']) {
    const response = await browser.get(path);
    t.is(response.status, 404, path);
    const text = await response.text();
    t.regex(text, /href="\/library"/, path);
    t.regex(text, /action="\/sign-out"/, path);
    t.regex(text, /href="\/console"\s*>Console/, path);
  }
  const anonymous = await (await api.request('/nowhere')).text();
  t.regex(anonymous, /href="\/sign-in"/);
  t.notRegex(anonymous, /href="\/library"/);
});

test.serial('too many pages say how long to wait, and read no session for it', async (t) => {
  const visitor = narrow.browser();
  await visitor.signIn(await narrow.seed.person());
  let last: Response;
  do {
    last = await visitor.get('/library');
  } while (last.status !== 429);
  const seconds = last.headers.get('retry-after')!;
  t.regex(await last.text(), new RegExp(`Try again in ${seconds} seconds?\\.`));
  const unknown = await visitor.get('/nowhere');
  t.is(unknown.status, 404);
  t.notRegex(await unknown.text(), /href="\/library"/);
});

test.serial('a lock of the sign-in says how long it holds', async (t) => {
  const one = await api.seed.person();
  let answer: Response;
  do {
    answer = await api.browser().signIn({ email: one.email, password: 'wrong' });
  } while (answer.status !== 429);
  t.regex(await answer.text(), /Too many attempts\. Try again in 15 minutes\./);
});

test('a CSRF token is right in every character, its separator too', async (t) => {
  const page = await (await browser.get('/settings/profile')).text();
  const [, token = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
  const statusOf = async (csrf: string) => {
    const form = { action: '/settings/profile', fields: { csrf, name: '' } };
    return (await browser.submit('/', form)).status;
  };
  t.not(await statusOf(token), 403);
  for (const wrong of [token.replace('.', 'x'), token.replace('.', '..'), `${token}.`, '.', '']) {
    t.is(await statusOf(wrong), 403, wrong);
  }
});
