// The headers of every response, the marks of cookies, and the files that are served.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { startApi } from '../support/http/api.ts';
import { startApiProcesses } from '../support/http/api-processes.ts';
import { createBrowser } from '../support/pages/browser.ts';
import { ROOT } from '../support/repository/imports.ts';
import { exchange, newCode, readProfile } from '../support/identity/oauth.ts';
import { sendRaw } from '../support/http/raw-socket.ts';

const BASE_URL = 'https://gatehouse.example';
const api = await startApi();
const behindTls = await startApi({ config: { baseUrl: BASE_URL, isProxyTrusted: true } });
const broken = await startApi();
const product = await api.seed.product();
test.after.always(() => Promise.all([api.close(), behindTls.close(), broken.close()]));

const isPolicy = (text: string | null) =>
  /default-src 'none'.*frame-ancestors 'none'/.test(text ?? '');

/** Headers of a page or a file. */
const PAGE: Record<string, string | null> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Headers of the API. */
const API: Record<string, string | null> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const SHARED = { 'cross-origin-resource-policy': 'cross-origin', 'cache-control': 'no-cache' };
const STATIC = { ...PAGE, 'cache-control': 'public, max-age=3600' };

function pick({ headers }: Response, expected: Record<string, string | null>) {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]));
}

test('every status of pages, API and files carries the security headers', async (t) => {
  const badge = `/p/${product.slug}/badge`;
  const etag = (await api.request(badge)).headers.get('etag')!;
  // Every statement that reads one of these tables fails.
  await broken.test.query('alter table product rename to product_gone');
  await broken.test.query('alter table api_key rename to api_key_gone');
  const big = { method: 'POST', body: 'x'.repeat(100_000) };
  const key = { headers: { authorization: `Bearer ${product.liveKey}` } };
  const cases: [number, Response, Record<string, string | null>][] = [
    [200, await api.request('/'), PAGE],
    [303, await api.request('/library'), PAGE],
    [304, await api.request(badge, { headers: { 'if-none-match': etag } }), { ...PAGE, ...SHARED }],
    [404, await api.request('/nowhere'), PAGE],
    [405, await api.request('/sign-in', { method: 'DELETE' }), PAGE],
    [413, await api.request('/sign-in', big), PAGE],
    [500, await broken.request('/p/no-such'), PAGE],
    [200, await api.request('/assets/base.css'), STATIC],
    [404, await api.request('/assets/nothing.css'), PAGE],
    [405, await api.request('/assets/base.css', { method: 'POST' }), PAGE],
    [404, await api.request('/api/nothing'), API],
    [405, await api.request('/api/v1/usage'), API],
    [413, await api.request('/api/oauth/token', big), API],
    [401, await api.request('/api/v1/me'), API],
    [500, await broken.request('/api/v1/entitlements?user_id=x', key), API],
  ];
  for (const [status, response, expected] of cases) {
    const { pathname } = new URL(response.url);
    t.is(response.status, status, pathname);
    t.deepEqual(pick(response, expected), expected, `${pathname} ${status}`);
    t.true(isPolicy(response.headers.get('content-security-policy')), `${pathname} ${status}`);
    t.regex(response.headers.get('x-request-id')!, /^req_/);
    t.false(response.headers.has('x-powered-by'));
  }
  for (const path of ['/', '/nowhere', '/api/nothing', '/assets/base.css']) {
    const response = await behindTls.request(path);
    t.regex(response.headers.get('strict-transport-security')!, /^max-age=\d{8}/, path);
  }
});

test('responses with a token, a check or a profile are no-store', async (t) => {
  const client = await api.seed.client({ product });
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.signIn(person);
  const token = await exchange(api, { client, code: await newCode(browser, client) });
  const { access_token: bearer } = (await token.clone().json()) as { access_token: string };
  const headers = { authorization: `Bearer ${product.liveKey}` };
  const check = await api.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
  for (const response of [token, check, await readProfile(api, bearer)]) {
    t.is(response.status, 200, response.url);
    t.is(response.headers.get('cache-control'), 'no-store', response.url);
    t.is(response.headers.get('etag'), null, response.url);
  }
  t.is(token.headers.get('pragma'), 'no-cache');
});

test('any site may embed the badge, and every use revalidates it', async (t) => {
  for (const path of [`/p/${product.slug}/badge`, '/p/never-was/badge']) {
    const response = await api.request(path);
    t.deepEqual(pick(response, SHARED), SHARED, path);
    t.is(response.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.is(response.headers.get('set-cookie'), null);
  }
});

test('behind a TLS proxy every cookie is __Host- and Secure', async (t) => {
  const person = await behindTls.seed.person();
  const browser = createBrowser(behindTls.url, BASE_URL);
  const before = await browser.get('/sign-in', { 'x-forwarded-for': '192.0.2.1' });
  const signedIn = await browser.signIn(person);
  t.is(signedIn.status, 303);
  const cookies = [before, signedIn].flatMap(({ headers }) => headers.getSetCookie());
  t.true(cookies.some((cookie) => cookie.startsWith('__Host-gatehouse_pre_session=gs_')));
  t.true(cookies.some((cookie) => cookie.startsWith('__Host-gatehouse_session=gs_')));
  for (const cookie of cookies) {
    t.regex(
      cookie,
      /^__Host-gatehouse_\w+=[^;]*; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/,
    );
  }
  t.is((await browser.get('/library')).status, 200);
  const bare = { cookie: `gatehouse_session=${browser.cookies.get('__Host-gatehouse_session')}` };
  t.is((await behindTls.request('/library', { headers: bare })).status, 303);
});

test('on plain loopback no cookie is __Host- or Secure, whatever X-Forwarded-Proto says', async (t) => {
  const browser = api.browser();
  const person = await api.seed.person();
  const tls = { 'x-forwarded-proto': 'https', forwarded: 'proto=https' };
  const before = await browser.get('/sign-in', tls);
  const fields = { email: person.email, password: person.password };
  const after = await browser.submit('/sign-in', { action: '/sign-in', fields, headers: tls });
  const cookies = [before, after].flatMap(({ headers }) => headers.getSetCookie());
  t.true(cookies.some((cookie) => cookie.startsWith('gatehouse_session=gs_')));
  for (const cookie of cookies) {
    t.regex(cookie, /^gatehouse_\w+=[^;]*; path=\/; expires=[^;]+; samesite=lax; httponly$/);
  }
});

const MARK = 'planted-and-never-served';

/** A copy of the sources with a dot file and symbolic links beside every style, script and picture. */
async function plantFiles(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-kept-'));
  const parts = [
    'api',
    'domain',
    'activities',
    'workflows',
    'worker',
    'clients',
    'platform',
    'migrations',
    'scripts',
    'dev',
    'packages',
    'test/support',
    'package.json',
  ];
  for (const part of parts) await cp(join(ROOT, part), join(root, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const outside = join(root, 'outside.css');
  await writeFile(outside, MARK);
  const served = globSync('api/**/*.{css,js,svg}', { cwd: root }).map((file) => dirname(file));
  for (const folder of new Set(served)) {
    await writeFile(join(root, folder, '.planted.css'), MARK);
    await symlink(outside, join(root, folder, 'linked.css'));
    await symlink(root, join(root, folder, 'linked'));
  }
  return root;
}

const UNSERVED = [
  '.planted.css',
  '%2eplanted.css',
  'linked.css',
  'linked/outside.css',
  'linked%2foutside.css',
  '../outside.css',
  '%2e%2e/%2e%2e/outside.css',
  '%2e%2e%2foutside.css',
  '..%2f..%2fpackage.json',
  '..%5c..%5cpackage.json',
  '%2e%2e%2f%2e%2e%2fapi%2fapp.ts',
  'files.ts',
  'base.css%00.txt',
  './base.css',
  '%2e/base.css',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  '/base.css',
  '',
];

test('only listed files are served: no dot file, no path upwards, no symbolic link', async (t) => {
  const root = await plantFiles();
  const [served] = await startApiProcesses(api, { count: 1, limits: {}, root });
  t.teardown(async () => {
    await served!.close();
    await rm(root, { recursive: true });
  });
  for (const file of ['/assets/base.css', '/assets/docs.css']) {
    t.is((await served!.request(file)).status, 200, file);
  }
  for (const folder of ['/assets/', '/docs/']) {
    for (const name of UNSERVED) {
      const line = `GET ${folder}${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      const { status, body } = await sendRaw(served!.url, line);
      t.true(status === 404 || status === 400, `${folder}${name} ${status}`);
      t.false(
        body.includes(MARK) || body.includes('root:') || body.includes('"name": "gatehouse"'),
      );
    }
  }
});

test('files accept GET and HEAD only', async (t) => {
  for (const path of ['/assets/base.css', '/assets/copy.js']) {
    const [get, head] = [await api.request(path), await api.request(path, { method: 'HEAD' })];
    t.is(head.status, 200);
    t.is(await head.text(), '');
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      t.is(head.headers.get(name), get.headers.get(name), name);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      const response = await api.request(path, { method });
      t.is(response.status, 405, method);
      t.is(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
  }
});
