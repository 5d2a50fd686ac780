// Bodies and parameters: which are refused, and which checks come before they are read.
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { Browser } from '../support/pages/browser.ts';
import {
  authorizePath,
  basic,
  newCode,
  parametersOf,
  postToken,
} from '../support/identity/oauth.ts';
import { startPeople } from '../support/identity/people.ts';
import { sendRaw } from '../support/http/raw-socket.ts';

const { api, signedIn } = await startPeople();
const product = await api.seed.product();
test.after.always(() => api.close());

type Headers = Record<string, string>;

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const use = (token: string, body: string | Buffer, headers: Headers = JSON_TYPE) =>
  api.request('/api/v1/usage', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });

test('a JSON route refuses a form and an encoded body', async (t) => {
  const { token } = await api.seed.token({ product });
  const body = '{"kind":"activity"}';
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };
  t.is((await use(token, 'kind=activity', FORM_TYPE)).status, 415);
  t.is((await use(token, gzipSync(body), gzip)).status, 415);
  t.is((await use(token, body, gzip)).status, 415);
  t.is((await use(token, body, { ...JSON_TYPE, 'content-encoding': 'deflate' })).status, 415);
  t.is((await use(token, body)).status, 200);
});

test('fields under __proto__ and constructor do not count as fields of the body', async (t) => {
  const { token } = await api.seed.token({ product });
  const inherited =
    '{"__proto__":{"kind":"activity"},"constructor":{"prototype":{"kind":"session"}}}';
  t.is((await use(token, inherited)).status, 400);
  t.is((await use(token, '{}')).status, 400, 'nor of a later body');
});

test('names with brackets stay flat: nothing is nested and nothing becomes a list', async (t) => {
  const headers = { authorization: `Bearer ${product.liveKey}` };
  const id = '00000000-0000-4000-8000-000000000000';
  for (const name of ['user_id[]', 'user_id[0]', 'user_id[a]', '__proto__[user_id]']) {
    const query = new URLSearchParams({ [name]: id });
    t.is((await api.request(`/api/v1/entitlements?${query}`, { headers })).status, 400, name);
  }
  const client = await api.seed.client({ product });
  const authorization = basic(client.clientId, client.secret);
  const fields = { 'grant_type[]': 'authorization_code', 'code[a]': 'gac_x' };
  const response = await postToken(api, { headers: { authorization }, fields });
  t.is(response.status, 400);
  t.like(await response.json(), { error: 'invalid_request' });
});

test('a repeated OAuth parameter is refused and consumes no code', async (t) => {
  const client = await api.seed.client({ product });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  for (const [name, value] of [
    ['client_id', client.clientId],
    ['redirect_uri', client.redirectUri],
  ] as const) {
    const page = await browser.get(authorizePath(client, { [name]: [value, value] }));
    t.is(page.status, 400, name);
  }
  for (const [name, value] of [
    ['response_type', 'code'],
    ['scope', 'identity'],
    ['state', 'x'],
  ] as const) {
    const sentBack = await browser.get(authorizePath(client, { [name]: [value, value] }));
    t.like(parametersOf(sentBack), { error: 'invalid_request' }, name);
  }
  const code = await newCode(browser, client);
  const headers = { authorization: basic(client.clientId, client.secret), ...FORM_TYPE };
  const fields = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri };
  const post = (body: string) => api.request('/api/oauth/token', { method: 'POST', headers, body });
  const form = new URLSearchParams(fields).toString();
  for (const [name, value] of Object.entries(fields)) {
    const response = await post(`${form}&${new URLSearchParams({ [name]: value })}`);
    t.is(response.status, 400, name);
    t.like(await response.json(), { error: 'invalid_request' }, name);
  }
  t.is((await post(form)).status, 200);
});

function sendEvent(body: string, signed = body) {
  const at = Math.floor(Date.now() / 1_000);
  const hmac = createHmac('sha256', api.config.processor.webhookSecret);
  const signature = `t=${at},v1=${hmac.update(`${at}.${signed}`).digest('hex')}`;
  const headers = { ...JSON_TYPE, 'stripe-signature': signature };
  return api.request('/api/processor/events', { method: 'POST', headers, body });
}

const newEvent = (id: string) => ({
  id,
  object: 'event',
  type: 'checkout.session.completed',
  livemode: false,
  created: Math.floor(Date.now() / 1_000),
  data: { object: { amount: 1.5, metadata: { note: 'é' } } },
});

test("the processor's signature covers the raw bytes of the body", async (t) => {
  const event = newEvent('evt_kept');
  const exact = JSON.stringify(event, null, 2).replace('1.5', '1.50').replace('é', '\\u00e9');
  for (const other of [JSON.stringify(event), JSON.stringify(JSON.parse(exact)), `${exact}\n`]) {
    t.is((await sendEvent(other, exact)).status, 400);
  }
  const stored = () => api.test.query(`select 1 from processor_event where id = 'evt_kept'`);
  t.is((await stored()).length, 0);
  t.is((await sendEvent(exact)).status, 200);
  t.is((await stored()).length, 1);
});

test('a deeply nested event of the processor is refused', async (t) => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = JSON.stringify(newEvent('evt_deep')).replace('"é"', deep);
  t.is((await sendEvent(body)).status, 400);
  const { token } = await api.seed.token({ product });
  t.true((await use(token, `{"kind":"session","more":${deep}}`)).status < 500);
});

const FORM = FORM_TYPE['content-type'];

const FORMS = [
  { path: '/sign-in', type: FORM, isSignedIn: false },
  { path: '/sign-up', type: FORM, isSignedIn: false },
  { path: '/forgot-password', type: FORM, isSignedIn: false },
  { path: '/settings/profile', type: FORM, isSignedIn: true },
  { path: '/settings/profile/picture', type: 'multipart/form-data; boundary=x', isSignedIn: true },
];

const SITES = ['origin: https://evil.example', 'origin: null', 'sec-fetch-site: cross-site'];
const UNFINISHED = 'content-length: 99999999\r\n\r\n';

const cookieOf = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join('=')).join('; ');

for (const { path, type, isSignedIn } of FORMS) {
  test(`a form that another site submits to ${path} is refused before its body is read`, async (t) => {
    const { browser } = isSignedIn ? await signedIn() : { browser: api.browser() };
    await browser.get('/sign-in');
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${cookieOf(browser)}\r\n`;
    // The body never arrives: a server that waited for it would respond 400.
    const responses = SITES.flatMap((site) =>
      [type, 'application/json'].map((contentType) =>
        sendRaw(api.url, `${head}${site}\r\ncontent-type: ${contentType}\r\n${UNFINISHED}`),
      ),
    );
    for (const { status } of await Promise.all(responses)) t.is(status, 403);
  });
}

test('a form without its CSRF token is refused before its fields are validated', async (t) => {
  const { browser } = await signedIn();
  for (const action of ['/sign-in', '/sign-up', '/settings/profile']) {
    for (const by of [browser, api.browser()]) {
      const { status } = await by.submit('/', {
        action,
        fields: { csrf: 'x', email: '', handle: '' },
      });
      // Without a session the response is 401 before the token is checked.
      t.is(status, action === '/settings/profile' && by !== browser ? 401 : 403, action);
    }
  }
});
