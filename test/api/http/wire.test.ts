import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { Pool } from 'undici';
import { ROUTES } from '../../../api/routes.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import { sendRaw } from '../../support/http/raw-socket.ts';

const api = await startApi();
// Thousands of requests: `fetch` costs more than what it asks.
const pool = new Pool(api.url, { connections: 16 });
test.after.always(async () => {
  await pool.destroy();
  await api.close();
});

const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;
const OPEN = ['public', 'optional_session'];
const pathOf = (path: string) => path.replace(':ref', 'a-product').replace(/:\w+/, 'anything');

const guarded = ROUTES.filter(({ credential }) => !OPEN.includes(credential));

for (const { method, path, credential } of guarded) {
  test(`${method} ${path} without a credential is refused`, async (t) => {
    const response = await api.request(pathOf(path), { method });
    if ((credential === 'session' || credential === 'operator') && method === 'GET') {
      t.is(response.status, 303);
      t.is(response.headers.get('location'), '/sign-in');
    } else if (credential === 'client') {
      t.is(response.status, 400, 'the client is read from a body');
    } else if (credential === 'signature') {
      t.is(response.status, 415, 'the signature is over a body');
    } else {
      t.is(response.status, 401);
      t.is(response.headers.get('www-authenticate'), 'Bearer');
    }
  });
}

const OTHER_CREDENTIAL = { key: 'gat_', token: 'gk_live_' } as const;

for (const { method, path, credential } of guarded) {
  if (credential !== 'key' && credential !== 'token') continue;
  test(`${method} ${path} refuses the other kind of credential`, async (t) => {
    const product = await api.seed.product();
    const right = { key: product.liveKey, token: (await api.seed.token({ product })).token };
    for (const other of [
      credential === 'key' ? right.token : right.key,
      newCredential(OTHER_CREDENTIAL[credential]),
    ]) {
      const headers = { authorization: `Bearer ${other}` };
      const response = await api.request(pathOf(path), { method, headers });
      t.is(response.status, 401);
      t.is(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
    const headers = { authorization: `Bearer ${right[credential]}` };
    t.not((await api.request(pathOf(path), { method, headers })).status, 401);
  });
}

test('the routes that anyone may call are these', (t) => {
  const open = ROUTES.filter(({ credential }) => OPEN.includes(credential));
  t.deepEqual(open.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'GET /',
    'GET /.well-known/oauth-authorization-server',
    'GET /api/health',
    'GET /api/ready',
    'GET /assets/:file',
    'GET /buy/:ref',
    'GET /by/:handle',
    'GET /by/team/:team',
    'GET /c/:category',
    'GET /check-mail',
    'GET /docs',
    'GET /docs/:name',
    'GET /docs/reference',
    'GET /docs/reference/:name',
    'GET /docs/search',
    'GET /forgot-password',
    'GET /images/:file',
    'GET /member',
    'GET /member/subscribe',
    'GET /oauth/authorize',
    'GET /openapi.json',
    'GET /p/:ref',
    'GET /p/:ref/badge',
    'GET /people/:id/avatar.svg',
    'GET /people/:id/image/:file',
    'GET /reset-password',
    'GET /robots.txt',
    'GET /search',
    'GET /sign-in',
    'GET /sign-up',
    'GET /sign-up/passkey',
    'GET /sitemap.xml',
    'GET /sitemap/:file',
    'GET /stop-email-change',
    'GET /verify-email',
    'POST /check-mail',
    'POST /forgot-password',
    'POST /reset-password',
    'POST /sign-in',
    'POST /sign-in/passkey',
    'POST /sign-in/passkey/options',
    'POST /sign-up',
    'POST /sign-up/passkey',
    'POST /sign-up/passkey/options',
    'POST /stop-email-change',
    'POST /verify-email',
  ]);
});

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
];

const BODIES = ['{', '[]', 'null', 'a=1&a=2', '', '\u0000', 'x'.repeat(1_000_000)].map((body) =>
  Buffer.from(body),
);

type Attempt = { body?: Buffer; headers: Record<string, string> };

// They are refused before their body is read: each place is asked, and each body sent to one of them.
const READS_NO_BODY = ['session', 'operator'];
const QUERIES = ['', '?user_id=1&user_id=2', '?user_id=%00&src=%00&currency=%00&reason=%FF'];
const REFS = ['a-product', '%00', '%2e%2e%2f', "'--", 'x'.repeat(3_000)];

function placesOf(path: string): string[] {
  const refs = /:\w+/.test(path) ? REFS : REFS.slice(0, 1);
  return QUERIES.flatMap((query) => refs.map((ref) => path.replace(/:\w+/, ref) + query));
}

for (const { method, path, credential } of ROUTES) {
  test(`${method} ${path} never answers 500, whatever it is sent`, async (t) => {
    const attempts: Attempt[] = [
      { headers: { authorization: 'Bearer gk_live_x', cookie: 'gatehouse_session=x' } },
      { headers: { authorization: 'Basic eDp5', accept: 'image/png' } },
    ];
    if (method === 'POST') {
      for (const type of TYPES) {
        for (const body of BODIES) attempts.push({ body, headers: { 'content-type': type } });
      }
    }
    for (const [nth, place] of placesOf(path).entries()) {
      const isEach = nth === 0 || !READS_NO_BODY.includes(credential);
      for (const attempt of isEach ? attempts : attempts.slice(0, 2)) {
        const { pathname, search } = new URL(place, api.url);
        const asked = { method, path: pathname + search, ...attempt };
        const { statusCode, body } = await pool.request(asked);
        await body.dump();
        if (statusCode >= 500) t.fail(`${statusCode} ${place}`);
      }
    }
    t.pass();
  });
}

test('an unknown path is 404 before the method is looked at', async (t) => {
  const response = await api.request('/api/nothing', { method: 'DELETE' });
  t.is(response.status, 404);
  const body = await response.json();
  t.like(body, { error: 'not_found', request_id: response.headers.get('x-request-id')! });
  t.regex(response.headers.get('x-request-id')!, REQUEST_ID);
});

test('a wrong method is 405 with the methods that are allowed', async (t) => {
  const response = await api.request('/api/v1/entitlements', { method: 'POST', body: 'x' });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.like(await response.json(), { error: 'method_not_allowed' });
});

test('rare methods are 405, never 501', async (t) => {
  for (const method of ['PROPFIND', 'M-SEARCH', 'QUERY']) {
    const line = `${method} /api/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    const answer = await sendRaw(api.url, line);
    t.is(answer.status, 405, method);
    t.is(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    t.regex(answer.headers.get('x-request-id')!, REQUEST_ID);
  }
});

test('a rare method on an unknown path is 404, and a page outside the API', async (t) => {
  const answer = await sendRaw(
    api.url,
    'PROPFIND /coffee HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  t.is(answer.status, 404);
  t.regex(answer.body, /<h1>There is nothing behind this gate<\/h1>/);
});

test('OPTIONS tells the methods of a path', async (t) => {
  const response = await api.request('/api/v1/entitlements', { method: 'OPTIONS' });
  t.is(response.status, 204);
  t.is(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
});

test('the API answers JSON and everything else HTML, whatever Accept says', async (t) => {
  const asksForPage = { headers: { accept: 'text/html' } };
  const asksForJson = { headers: { accept: 'application/json' } };
  const type = async (path: string, init: RequestInit) =>
    (await api.request(path, init)).headers.get('content-type');
  t.is(await type('/api/nothing', asksForPage), 'application/json; charset=utf-8');
  t.is(await type('/openapi.json', asksForPage), 'application/json; charset=utf-8');
  t.is(await type('/nothing', asksForJson), 'text/html; charset=utf-8');
  t.is(await type('/p/unknown-product', asksForJson), 'text/html; charset=utf-8');
});

test('a path that cannot be decoded is 400', async (t) => {
  const response = await api.request('/api/%E0%A4%A');
  t.is(response.status, 400);
  t.like(await response.json(), { error: 'invalid_request' });
  t.is((await api.request('/p/%')).status, 400);
});

test('an incoming request id is ignored', async (t) => {
  const response = await api.request('/api/health', { headers: { 'x-request-id': 'mine' } });
  t.regex(response.headers.get('x-request-id')!, REQUEST_ID);
});

test('what the HTTP parser refuses is 400', async (t) => {
  const garbage = [
    'garbage\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'BREW /api/health HTTP/1.1\r\nhost: x\r\n\r\n',
    'get /api/health HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /api/health HTTP/9.9\r\nhost: x\r\n\r\n',
    'GET /api/health HTTP/1.1\r\nhost: x\r\nbad header: y\r\n\r\n',
    'POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ];
  for (const bytes of garbage) t.is((await sendRaw(api.url, bytes)).status, 400, bytes);
});

test('an odd Expect is ignored', async (t) => {
  const lines = 'GET /api/health HTTP/1.1\r\nhost: x\r\nexpect: magic\r\nconnection: close\r\n\r\n';
  const answer = await sendRaw(api.url, lines);
  t.is(answer.status, 200);
  t.regex(answer.headers.get('x-request-id')!, REQUEST_ID);
});

test('a caller who breaks off after CONNECT leaves the process running', async (t) => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'connect');
  socket.resetAndDestroy();
  t.is((await api.request('/api/health')).status, 200);
});

test('pages cannot be framed, run no script and tell other sites nothing', async (t) => {
  const { headers } = await api.request('/');
  const policy = headers.get('content-security-policy')!;
  t.regex(policy, /frame-ancestors 'none'/);
  t.regex(policy, /default-src 'none'/);
  t.notRegex(policy, /script-src|unsafe/);
  t.is(headers.get('x-frame-options'), 'DENY');
  t.is(headers.get('referrer-policy'), 'same-origin');
  t.is(headers.get('strict-transport-security'), null, 'plain http');
});

test('answers to programs are neither sniffed, framed, kept nor embedded elsewhere', async (t) => {
  for (const path of ['/api/health', '/api/v1/me', '/api/nothing']) {
    const { headers } = await api.request(path);
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
    t.regex(
      headers.get('content-security-policy')!,
      /^default-src 'none'; frame-ancestors 'none'$/,
    );
  }
});
