// The first checks of a request: their order, the address of its caller, the time it may take.
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { startApi } from '../support/http/api.ts';
import { sendRaw } from '../support/http/raw-socket.ts';

const api = await startApi({ limits: { usage_reports: 5, buy: 2 } });
const proxied = await startApi({ limits: { buy: 2 }, config: { isProxyTrusted: true } });
const product = await api.seed.product();
test.after.always(() => Promise.all([api.close(), proxied.close()]));

type Headers = Record<string, string>;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVIL = 'evil.example';

/** Moves the clock to the first second of the next minute: no window ends while a test counts. */
async function startWindow({ test: database } = api) {
  const [row] = await database.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await database.advance((row!.left + 1) * 1_000);
}

const use = (token: string, body: string, headers: Headers = JSON_TYPE) =>
  api.request('/api/v1/usage', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  });

const BAD_BODIES: [status: number, body: string, headers: Headers][] = [
  [413, 'x'.repeat(100_000), { 'content-type': 'text/plain' }],
  [415, '{', { 'content-type': 'text/plain' }],
  [400, '{', JSON_TYPE],
  [400, '{"kind":"dancing"}', JSON_TYPE],
];

test.serial(
  'the credential is checked first, then the rate, then size, type and content of the body',
  async (t) => {
    await startWindow();
    const { token, clientId } = await api.seed.token({ product });
    for (const [status, body, headers] of BAD_BODIES) {
      t.is((await use('gat_unknown', body, headers)).status, 401);
      t.is((await use(token, body, headers)).status, status);
    }
    t.is((await use(token, '{"kind":"session"}')).status, 200);
    for (const [, body, headers] of BAD_BODIES) t.is((await use(token, body, headers)).status, 429);
    const revoked = 'update access_token set revoked_at = gatehouse_now() where client_id = $1';
    await api.test.query(revoked, [clientId]);
    for (const [, body, headers] of BAD_BODIES) t.is((await use(token, body, headers)).status, 401);
  },
);

test.serial('a response 400 costs one of the 600 requests of the minute', async (t) => {
  await startWindow();
  const headers = { authorization: `Bearer ${product.liveKey}` };
  for (const left of ['599', '598']) {
    const response = await api.request('/api/v1/entitlements?user_id=nobody', { headers });
    t.is(response.status, 400);
    t.is(response.headers.get('ratelimit-limit'), '600');
    t.is(response.headers.get('ratelimit-remaining'), left);
  }
});

const leftFor = async (of: typeof api, headers: Headers) =>
  (await of.request('/buy/unknown', { headers })).headers.get('ratelimit-remaining');

test.serial(
  'behind a trusted proxy the last address of X-Forwarded-For is the caller',
  async (t) => {
    await startWindow(proxied);
    const from = (addresses: string) => leftFor(proxied, { 'x-forwarded-for': addresses });
    t.is(await from('198.51.100.1'), '1');
    t.is(await from('198.51.100.1, 198.51.100.2'), '1');
    t.is(await from('203.0.113.7, 198.51.100.2'), '0');
  },
);

test.serial('without a trusted proxy no header names the caller', async (t) => {
  await startWindow();
  const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host'];
  const left = [];
  for (const [nth, name] of names.entries())
    left.push(await leftFor(api, { [name]: `192.0.2.${nth}` }));
  t.deepEqual(left, ['1', '0', '0', '0']);
});

/** Headers that name another host; fetch would drop the first of them. */
const FOREIGN: Headers[] = [
  { host: EVIL },
  { host: 'x', 'x-forwarded-host': EVIL },
  { host: 'x', forwarded: `host=${EVIL};proto=https`, 'x-forwarded-proto': 'https' },
];

const sendAs = (to: typeof api, line: string, headers: Headers, body = '') => {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': body.length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return sendRaw(to.url, `${line} HTTP/1.1\r\n${head}\r\n${body}`);
};

test('no link and no redirect uses the Host or X-Forwarded-Host of the request', async (t) => {
  const metadata = '/.well-known/oauth-authorization-server';
  for (const each of [api, proxied]) {
    for (const named of FOREIGN) {
      for (const path of ['/', '/sign-in', '/library', metadata, '/openapi.json']) {
        const { status, headers, body } = await sendAs(each, `GET ${path}`, named);
        t.true(status === 200 || status === 303, path);
        t.false(`${body}${[...headers.values()].join()}`.includes(EVIL), path);
      }
    }
  }
});

test('the origin of a form is compared with the configured address, never with the Host header', async (t) => {
  for (const each of [api, proxied]) {
    const browser = each.browser();
    const page = await (await browser.get('/sign-in')).text();
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page) ?? [];
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const fields = { csrf, email: 'nobody@example.com', password: 'wrong horse battery' };
    const submit = async (named: Headers, origin: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie, origin };
      const body = new URLSearchParams(fields).toString();
      return (await sendAs(each, 'POST /sign-in', { ...named, ...headers }, body)).status;
    };
    for (const named of FOREIGN) {
      for (const scheme of ['http', 'https']) {
        t.is(await submit(named, `${scheme}://${EVIL}`), 403, JSON.stringify(named));
      }
      t.is(await submit(named, each.url), 422);
    }
  }
});

const HEAD = 'POST /api/v1/usage HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

test('a refused request closes its connection before its body has arrived', async (t) => {
  const { token } = await api.seed.token({ product });
  const bearer = `authorization: Bearer ${token}\r\n`;
  const unfinished = 'content-length: 10000000\r\n\r\n{"kind"';
  const chunked = 'transfer-encoding: chunked\r\n\r\n';
  const large = `${chunked}ffff\r\n${'x'.repeat(0xffff)}\r\n`;
  const responses = await Promise.all([
    sendRaw(api.url, HEAD + unfinished),
    sendRaw(api.url, HEAD + bearer + unfinished),
    sendRaw(api.url, `${HEAD}${bearer}${large}ffff\r\n${'x'.repeat(0xffff)}\r\n`),
    sendRaw(api.url, HEAD.replace('/api/v1/usage', '/api/nothing') + chunked),
  ]);
  t.deepEqual(
    responses.map(({ status }) => status),
    [401, 413, 413, 404],
  );
  for (const { headers } of responses) t.is(headers.get('connection'), 'close');
});

test('a slow request loses its connection within 30 seconds', async (t) => {
  const slow = await startApi();
  t.teardown(() => slow.close());
  const { token } = await slow.seed.token({ product: await slow.seed.product() });
  for (const server of slow.servers) {
    t.true(server.requestTimeout > 0 && server.headersTimeout > 0);
    t.true(Math.max(server.requestTimeout, server.headersTimeout) < 30_000);
    server.requestTimeout = 50;
    server.headersTimeout = 50;
  }
  const starts = [
    'POST /sign-in HTTP/1.1\r\nhost',
    `${HEAD}authorization: Bearer ${token}\r\ncontent-length: 100\r\n\r\n{"kind"`,
  ];
  for (const start of starts) {
    const { hostname, port } = new URL(slow.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.write(start);
    socket.resume();
    await once(socket, 'end');
    t.pass('the server ended it');
    socket.destroy();
  }
});
