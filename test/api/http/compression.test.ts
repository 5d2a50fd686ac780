import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import test from 'ava';
import { assetPath } from '../../../api/html/assets.ts';
import { startPeople } from '../../support/identity/people.ts';
import { writeCsvLine } from '../../../api/http/csv.ts';

const lines: string[] = [];
const people = await startPeople({ log: (line) => void lines.push(line) });
const { api } = people;

const owner = await api.seed.person({ isBuilder: true });
const product = await api.seed.product({ owner });
const console = `/console/products/${product.slug}`;
const browser = api.browser();
await browser.signIn(owner);
test.after.always(() => api.close());

/** Not by `fetch`, which hides how many bytes came. */
async function get(path: string, headers: Record<string, string> = {}) {
  const [response] = (await once(
    request(new URL(path, api.url), { headers }).end(),
    'response',
  )) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync };

for (const encoding of ['gzip', 'br'] as const) {
  for (const path of ['/docs/access', '/openapi.json', assetPath('base.css')]) {
    test(`${path} is compressed by ${encoding}`, async (t) => {
      const plain = await get(path);
      const small = await get(path, { 'accept-encoding': encoding });
      t.is(small.headers['content-encoding'], encoding);
      t.regex(small.headers.vary!, /accept-encoding/i);
      t.is(plain.headers['content-encoding'], undefined);
      t.true(small.bytes.length < plain.bytes.length / 2);
      t.is(DECODERS[encoding](small.bytes).length, plain.bytes.length);
    });
  }
}

test('a short JSON response is sent as it is', async (t) => {
  const { headers, bytes } = await get('/api/health', { 'accept-encoding': 'br, gzip' });
  t.is(headers['content-encoding'], undefined);
  t.notThrows(() => JSON.parse(bytes.toString()) as unknown);
});

test('a page has one ETag, however it is compressed', async (t) => {
  const { slug } = await api.seed.product();
  const path = `/p/${slug}`;
  const { etag } = (await get(path)).headers;
  t.truthy(etag);
  t.is((await get(path, { 'accept-encoding': 'gzip' })).headers.etag, etag);
  const again = await api.request(path, { headers: { 'if-none-match': etag! } });
  t.is(again.status, 304);
});

test('an asset named by its bytes is kept for good, one without for an hour', async (t) => {
  const path = assetPath('base.css');
  t.regex(path, /^\/assets\/base\.[0-9a-f]{12}\.css$/);
  const kept = await get(path);
  t.is(kept.headers['cache-control'], 'public, max-age=31536000, immutable');
  const plain = await get('/assets/base.css');
  t.is(plain.headers['cache-control'], 'public, max-age=3600');
  t.deepEqual(plain.bytes, kept.bytes);
  const other = path.replace(/[0-9a-f]{12}/, '000000000000');
  t.is((await api.request(other)).status, 404);
});

const headers = { 'accept-encoding': 'gzip, br' };
const submit = async (action: string, fields: Record<string, string>) => {
  const response = await browser.submit('/', { action, fields });
  return browser.get(response.headers.get('location')!, headers);
};

async function showMailLink() {
  const { email } = await api.seed.person();
  const action = '/forgot-password';
  await api.browser().submit(action, { action, fields: { email } });
  return api.request(await people.linkTo(email, 'reset_password'), { headers });
}

const SECRETS: [what: string, shown: RegExp, show: () => Promise<Response>][] = [
  ['key', /gk_live_\w{49}/, () => submit(`${console}/keys`, { mode: 'live', name: 'Server' })],
  [
    'client secret',
    /gcs_\w{40}/,
    () =>
      submit(`${console}/clients`, {
        kind: 'confidential',
        name: 'Web',
        redirect_uris: 'https://app.example/cb',
      }),
  ],
  [
    'webhook secret',
    /whsec_\w+/,
    () =>
      submit(`${console}/endpoints`, {
        url: 'https://example.com/hook',
        events: 'purchase.completed',
      }),
  ],
  ['mail link', /name="token" value="[^"]{30,}"/, showMailLink],
];

for (const [what, shown, show] of SECRETS) {
  test.serial(`the page that shows a ${what} is not compressed`, async (t) => {
    const response = await show();
    t.is(response.status, 200);
    t.is(response.headers.get('content-encoding'), null);
    const text = await response.text();
    t.regex(text, shown);
    t.true(text.length > 1_024, 'long enough to be compressed');
  });
}

test('a CSRF token is masked anew in each response', async (t) => {
  const tokens = new Set<string>();
  for (let nth = 0; nth < 3; nth += 1) {
    const page = await (await browser.get('/settings/profile')).text();
    for (const [, token = ''] of page.matchAll(/name="csrf" value="([^"]+)"/g)) tokens.add(token);
  }
  t.true(tokens.size >= 3);
  for (const csrf of tokens) {
    const response = await browser.submit('/', {
      action: '/settings/profile',
      fields: { csrf, name: '' },
    });
    t.not(response.status, 403);
  }
});

for (const accepted of [
  'identity;q=0',
  '*;q=0',
  'gzip;q=0, *;q=0',
  'zstd, identity;q=0',
  'br;Q=0, gzip;q=0, *; q = 0',
]) {
  test(`Accept-Encoding: ${accepted} gets plain bytes, as any response`, async (t) => {
    const { status, headers, bytes } = await get('/sign-in', { 'accept-encoding': accepted });
    t.is(status, 200);
    t.is(headers['content-encoding'], undefined);
    t.regex(bytes.toString(), /<h1>/);
    t.is(headers['x-content-type-options'], 'nosniff');
    t.true(lines.some((line) => line.includes(String(headers['x-request-id']))));
  });
}

for (const [accepted, encoding] of [
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['*', 'gzip'],
  ['gzip;q=0.5, br;q=0.1', 'gzip'],
  ['identity', undefined],
  ['deflate', undefined],
] as const) {
  test(`Accept-Encoding: ${accepted} gets ${encoding ?? 'plain bytes'}`, async (t) => {
    const { headers } = await get('/sign-in', { 'accept-encoding': accepted });
    t.is(headers['content-encoding'], encoding);
  });
}

test('an ETag is weak: it names a page in all encodings', async (t) => {
  const { slug } = await api.seed.product();
  const { etag = '' } = (await get(`/p/${slug}`, { 'accept-encoding': 'gzip' })).headers;
  t.regex(etag, /^W\/"/);
  for (const known of [etag, etag.slice(2)]) {
    t.is((await get(`/p/${slug}`, { 'if-none-match': known })).status, 304);
  }
});

test('fields are quoted as RFC 4180 says, and lines end with CRLF', (t) => {
  const line = writeCsvLine(['plain', 'a, b', 'say "so"', 'two\nlines', null, 12, 'last']);
  t.is(line, 'plain,"a, b","say ""so""","two\nlines",,12,last\r\n');
});

test('a text that a spreadsheet would run stays a text, an amount stays an amount', (t) => {
  for (const first of ['=', '+', '-', '@', '\t', '＝']) {
    t.is(writeCsvLine([`${first}1+1`]), `'${first}1+1\r\n`);
  }
  t.is(writeCsvLine(['=HYPERLINK("x")']), `"'=HYPERLINK(""x"")"\r\n`);
  t.is(writeCsvLine([{ exact: '-12.50' }, -1_250]), '-12.50,-1250\r\n');
  t.is(writeCsvLine(['a=b']), 'a=b\r\n');
});

test('a spreadsheet whose list separator is a semicolon runs no text either', (t) => {
  t.is(writeCsvLine(['x;=1+1']), "x;'=1+1\r\n");
  t.is(writeCsvLine(['x; \t@SUM(1)']), "x; \t'@SUM(1)\r\n");
  t.is(writeCsvLine(['a;b', { exact: '1;-2' }]), 'a;b,1;-2\r\n');
});
