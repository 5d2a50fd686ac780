// The first that is decided of a request: in which order it is checked, whose it is, how long it may take.
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { startApi } from '../support/api.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { goBeforeMidnight } from '../support/usage.ts';

const api = await startApi({ limits: { usage_reports: 5, buy: 2 } });
const proxied = await startApi({ limits: { buy: 2 }, config: { isProxyTrusted: true } });
const product = await api.seed.product();
test.after.always(() => Promise.all([api.close(), proxied.close()]));

type Headers = Record<string, string>;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVIL = 'evil.example';

/** No window of a minute ends while a test counts: the next one has just begun. */
const startWindow = (of = api) => goBeforeMidnight(of, 24 * 3_600_000 - 1_000);

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
  'a request is checked for its credential, then its rate, then its size, type and content',
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

test.serial('a request that is answered 400 costs one of 600 in its minute', async (t) => {
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

test.serial('behind a trusted proxy the caller is the last address it names', async (t) => {
  await startWindow(proxied);
  const from = (addresses: string) => leftFor(proxied, { 'x-forwarded-for': addresses });
  t.is(await from('198.51.100.1'), '1');
  t.is(await from('198.51.100.1, 198.51.100.2'), '1');
  t.is(await from('203.0.113.7, 198.51.100.2'), '0');
});

test.serial('without a trusted proxy no header says who the caller is', async (t) => {
  await startWindow();
  const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'host'];
  const left = [];
  for (const [nth, name] of names.entries())
    left.push(await leftFor(api, { [name]: `192.0.2.${nth}` }));
  t.deepEqual(left, ['1', '0', '0', '0', '0']);
});

const NAMING: Headers[] = [
  { host: EVIL },
  { 'x-forwarded-host': EVIL },
  { forwarded: `host=${EVIL};proto=https`, 'x-forwarded-proto': 'https' },
];

test('no link and no redirect is made of the Host or X-Forwarded-Host of a request', async (t) => {
  const paths = [
    '/',
    '/sign-in',
    '/library',
    '/.well-known/oauth-authorization-server',
    '/openapi.json',
  ];
  for (const each of [api, proxied]) {
    for (const headers of NAMING) {
      for (const path of paths) {
        const response = await each.request(path, { headers });
        t.false((await response.text()).includes(EVIL), path);
        t.false([...response.headers.values()].join().includes(EVIL), path);
      }
    }
  }
});

test('a form is of our own origin by the configured address, whatever host is named', async (t) => {
  for (const each of [api, proxied]) {
    for (const headers of NAMING) {
      const submit = (origin: string) =>
        each.browser().submit('/sign-in', {
          action: '/sign-in',
          fields: { email: 'nobody@example.com', password: 'wrong horse battery' },
          headers: { ...headers, origin },
        });
      for (const scheme of ['http', 'https'])
        t.is((await submit(`${scheme}://${EVIL}`)).status, 403);
      t.is((await submit(each.url)).status, 422);
    }
  }
});

const HEAD = 'POST /api/v1/usage HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

test('a body that is refused before it has come closes its connection', async (t) => {
  const { token } = await api.seed.token({ product });
  const bearer = `authorization: Bearer ${token}\r\n`;
  const unfinished = 'content-length: 10000000\r\n\r\n{"kind"';
  const chunked = 'transfer-encoding: chunked\r\n\r\n';
  const large = `${chunked}ffff\r\n${'x'.repeat(0xffff)}\r\n`;
  const answers = await Promise.all([
    sendRaw(api.url, HEAD + unfinished),
    sendRaw(api.url, HEAD + bearer + unfinished),
    sendRaw(api.url, `${HEAD}${bearer}${large}ffff\r\n${'x'.repeat(0xffff)}\r\n`),
    sendRaw(api.url, HEAD.replace('/api/v1/usage', '/api/nothing') + chunked),
  ]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [401, 413, 413, 404],
  );
  for (const { headers } of answers) t.is(headers.get('connection'), 'close');
});

test('a body that is too slow costs its connection, within half a minute', async (t) => {
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
