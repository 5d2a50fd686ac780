import test from 'ava';
import {
  authorizePath,
  decide,
  exchange,
  newProof,
  parametersOf,
} from '../../support/identity/oauth.ts';
import { api, consent } from './scene.ts';

const { product, client, publicClient, person, browser } = consent;

const { challenge } = newProof();
const S256 = { code_challenge: challenge, code_challenge_method: 'S256' };

type Given = Parameters<typeof authorizePath>[1];

const PAGES: [string, string, string][] = [
  ['A1 client_id missing', 'redirect_uri=https://app.example/cb', 'client_id_missing'],
  ['A1 client_id unknown', 'client_id=gcl_x&redirect_uri=https://app.example/cb', 'client_unknown'],
  [
    'A1 client_id repeated',
    authorizePath(client, { client_id: [client.clientId, client.clientId] }).split('?')[1]!,
    'client_id_missing',
  ],
  ['A2 redirect_uri missing', `client_id=${client.clientId}`, 'redirect_uri_missing'],
  [
    'A2 redirect_uri repeated',
    authorizePath(client, { redirect_uri: [client.redirectUri, client.redirectUri] }).split(
      '?',
    )[1]!,
    'redirect_uri_missing',
  ],
];

for (const uri of [
  'https://app.example/cb/',
  'https://APP.example/cb',
  'HTTPS://app.example/cb',
  'https://app.example/cb?added=1',
  'https://app.example/cb/extra',
  'https://app.example/%63b',
  'https://app.example/x/%2e%2e/cb',
  'https://me@app.example/cb',
  'https://app.example:443/cb',
  'https://app.example/cb#fragment',
  'https://evil.example/cb',
  '//app.example/cb',
  'javascript:alert(1)',
]) {
  const path = authorizePath(client, { redirect_uri: uri, response_type: 'token' });
  PAGES.push([`A3 redirect_uri ${uri}`, path.split('?')[1]!, 'redirect_uri_unregistered']);
}

for (const [title, query, reason] of PAGES) {
  test(`${title}: a page before sign-in, never a redirect`, async (t) => {
    for (const visitor of [api.browser(), browser]) {
      const response = await visitor.get(`/oauth/authorize?${query}`);
      t.is(response.status, 400);
      t.is(response.headers.get('location'), null);
      t.regex(response.headers.get('content-type')!, /text\/html/);
      t.true((await response.text()).includes(`data-reason="${reason}"`));
    }
  });
}

test('A1 a disabled client: a page before sign-in', async (t) => {
  const disabled = await api.seed.client({ product });
  await api.test.query('update oauth_client set disabled_at = now() where id = $1', [
    disabled.clientId,
  ]);
  const response = await api.request(authorizePath(disabled));
  t.is(response.status, 400);
  t.regex(await response.text(), /data-reason="client_unknown"/);
});

const REDIRECTS: [string, Given, string][] = [
  ['A7 response_type token', { response_type: 'token' }, 'unsupported_response_type'],
  ['A7 response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
  ['A7 response_type code token', { response_type: 'code token' }, 'unsupported_response_type'],
  ['A7 response_type CODE', { response_type: 'CODE' }, 'unsupported_response_type'],
  ['A8 method plain', { ...S256, code_challenge_method: 'plain' }, 'invalid_request'],
  ['A8 method unknown', { ...S256, code_challenge_method: 's256' }, 'invalid_request'],
  ['A9 challenge without method', { code_challenge: challenge }, 'invalid_request'],
  ['A10 method without challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
  ['A10 challenge too short', { ...S256, code_challenge: 'short' }, 'invalid_request'],
  [
    'A10 challenge padded',
    { ...S256, code_challenge: `${challenge.slice(1)}=` },
    'invalid_request',
  ],
  ['A14 scope twice', { scope: ['identity', 'identity'] }, 'invalid_request'],
  ['A14 response_type twice', { response_type: ['code', 'code'] }, 'invalid_request'],
  ['A14 challenge twice', { ...S256, code_challenge: [challenge, challenge] }, 'invalid_request'],
  ['only unknown scopes', { scope: 'email openid' }, 'invalid_scope'],
  ['scope mobile from a third party', { scope: 'mobile' }, 'invalid_scope'],
];

for (const [title, given, error] of REDIRECTS) {
  test(`${title}: redirect with ${error}`, async (t) => {
    const response = await browser.get(authorizePath(client, { state: 'kept', ...given }));
    t.is(response.status, 303);
    t.true(response.headers.get('location')!.startsWith('https://app.example/cb?'));
    const { error_description: description, ...rest } = parametersOf(response);
    t.deepEqual(rest, { error, state: 'kept' });
    t.regex(description!, /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]+$/);
  });
}

test('an error leads a signed-out person to sign-in first, and to the client after it', async (t) => {
  const requests = REDIRECTS.map(([, given]) => authorizePath(client, { state: 'kept', ...given }));
  requests.push(authorizePath(publicClient), authorizePath(client, { state: ['a', 'b'] }));
  for (const path of requests) {
    const sent = await api.request(path, { redirect: 'manual' });
    t.is(sent.status, 303, path);
    t.is(sent.headers.get('location'), '/sign-in', path);
  }
  const visitor = api.browser();
  const path = authorizePath(client, { response_type: 'x', state: 'kept' });
  await visitor.get(path);
  t.is((await visitor.signIn(person)).headers.get('location'), path);
  const { error, state } = parametersOf(await visitor.get(path));
  t.deepEqual([error, state], ['unsupported_response_type', 'kept']);
});

test('A11 a public client without a challenge: redirect invalid_request', async (t) => {
  const response = await browser.get(authorizePath(publicClient));
  t.like(parametersOf(response), { error: 'invalid_request' });
});

test('A14 state twice: redirect invalid_request without a state', async (t) => {
  const response = await browser.get(authorizePath(client, { state: ['a', 'b'] }));
  t.is(response.status, 303);
  t.deepEqual(Object.keys(parametersOf(response)), ['error', 'error_description']);
});

test('A5 a registered URI that has a query keeps it; code and state are added', async (t) => {
  const redirectUri = 'https://app.example/cb?tenant=7&x=%20';
  const own = await api.seed.client({ product, redirectUris: [redirectUri] });
  const response = await decide(browser, authorizePath(own, { state: 's' }));
  const location = response.headers.get('location')!;
  t.regex(location, /^https:\/\/app\.example\/cb\?tenant=7&x=%20&code=gac_\w+&state=s$/);
});

test('A6 A15 response_type absent or empty is code; empty and unknown parameters are ignored', async (t) => {
  for (const given of [
    { response_type: '' },
    { response_type: 'code' },
    { scope: '', state: '', code_challenge: '', code_challenge_method: '' },
    { prompt: 'none', nonce: ['a', 'b'], refused: 'x', __proto__: 'x', constructor: 'x' } as Given,
  ]) {
    const response = await decide(browser, authorizePath(client, given));
    t.deepEqual(Object.keys(parametersOf(response)), ['code'], JSON.stringify(given));
  }
});

const UNKNOWN = [
  '__proto__=x&&=&x',
  'login_hint=jos%E9',
  'foo=%',
  'foo=%00',
  '%FF=x&%=&%00=x',
  `id_token_hint=${'x'.repeat(5_000)}`,
  'nonce=a&nonce=b',
];

test('A15 parameters that we do not know are ignored, however they look, and are not kept', async (t) => {
  const path = authorizePath(client, { state: 's' });
  for (const unknown of UNKNOWN) {
    const visitor = api.browser();
    const sent = await visitor.get(`${path}&${unknown}`);
    t.is(sent.headers.get('location'), '/sign-in', unknown);
    t.is((await visitor.signIn(person)).headers.get('location'), path, unknown);
    const response = await decide(browser, `${path}&${unknown}`);
    t.deepEqual(Object.keys(parametersOf(response)), ['code', 'state'], unknown);
  }
  const known = await decide(browser, path.replace('client_id', 'client%5Fid'));
  t.deepEqual(Object.keys(parametersOf(known)), ['code', 'state'], 'a name may be encoded');
});

test('A12 unknown scopes and mobile are dropped; what remains is shown and granted', async (t) => {
  const path = authorizePath(client, { scope: 'email identity mobile' });
  const page = await (await browser.get(path)).text();
  t.false(page.includes('data-access'), 'access is not asked for');
  const { code } = parametersOf(await decide(browser, path));
  const token = (await (await exchange(api, { client, code: code! })).json()) as { scope: string };
  t.is(token.scope, 'identity');
});

test('A13 a state of 2 kB with & + % = and UTF-8 comes back identical; absent stays absent', async (t) => {
  const state = '&+%=é漢🙂 "\\#/?'.repeat(160);
  t.true(Buffer.byteLength(state) > 2_048);
  t.is(parametersOf(await decide(browser, authorizePath(client, { state })))['state'], state);
  t.false('state' in parametersOf(await decide(browser, authorizePath(client))));
});

test('A17 not signed in: to sign-in, then back to the same request without what we do not know, kept on our side', async (t) => {
  const visitor = api.browser();
  const path = authorizePath(client, { state: 'a b%&+é' });
  const sent = await visitor.get(`${path}&return_to=//evil.example&x=/%5Cevil`);
  t.is(sent.headers.get('location'), '/sign-in');
  t.is((await visitor.signIn(person)).headers.get('location'), path);
  t.is((await visitor.get(path)).status, 200);
  await decide(visitor, path);
  t.false(visitor.cookies.has('gatehouse_pre_session'), 'it is over');
});

test('A25 success is 303 with exactly code and state', async (t) => {
  const response = await decide(browser, authorizePath(client, { state: 's', ...S256 }));
  t.is(response.status, 303);
  t.regex(
    response.headers.get('location')!,
    /^https:\/\/app\.example\/cb\?code=gac_[0-9A-Za-z]{49}&state=s$/,
  );
});

test('A26 a portless loopback URI of a native client stands for every port, others are exact', async (t) => {
  const redirectUris = [
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
    'http://localhost/cb',
    'http://127.0.0.1:7777/fixed',
  ];
  const native = await api.seed.client({ product, kind: 'native', redirectUris });
  const confidential = await api.seed.client({ product, redirectUris });
  const status = async (of: typeof native, redirect_uri: string) =>
    (await browser.get(authorizePath(of, { redirect_uri, ...S256 }))).status;
  t.is(await status(native, 'http://127.0.0.1:51234/cb'), 200);
  t.is(await status(native, 'http://[::1]:51234/cb'), 200);
  t.is(await status(native, 'http://127.0.0.1:7777/fixed'), 200);
  t.is(await status(native, 'http://127.0.0.1:7778/fixed'), 400);
  t.is(await status(native, 'http://127.0.0.1:51234/other'), 400);
  t.is(await status(native, 'http://localhost:51234/cb'), 400);
  t.is(await status(confidential, 'http://127.0.0.1:51234/cb'), 400);
  t.is(await status(confidential, 'http://127.0.0.1/cb'), 200);
  const path = authorizePath(native, { redirect_uri: 'http://127.0.0.1:51234/cb', ...S256 });
  const location = (await decide(browser, path)).headers.get('location')!;
  t.true(location.startsWith('http://127.0.0.1:51234/cb?code=gac_'));
});

test.serial(
  'huge, undecodable and NUL-bearing values of known parameters: a 4xx page, no row',
  async (t) => {
    const count = async () =>
      (
        await api.test.query<{ n: number }>(
          `select (select count(*) from pending_authorization)::int + (select count(*) from pre_session)::int as n`,
        )
      )[0]!.n;
    const before = await count();
    const base = authorizePath(client);
    const names = [
      'client_id',
      'redirect_uri',
      'scope',
      'state',
      'code_challenge',
      'response_type',
    ];
    const values = ['%00', 'a%00b', '%FF', '%', '%E0%A4', '%ED%A0%80', 'x'.repeat(10_000)];
    for (const visitor of [browser, api.browser()]) {
      for (const name of names) {
        for (const value of values) {
          const response = await visitor.get(`${base}&${name}=${value}`);
          t.true(
            [400, 403].includes(response.status),
            `${name}=${value.slice(0, 9)} ${response.status}`,
          );
          t.is(response.headers.get('location'), null);
        }
      }
    }
    t.is((await browser.get(`${base}&state=${'x'.repeat(64_000)}`)).status, 431);
    t.is(await count(), before);
  },
);
