import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { startApi } from '../../support/http/api.ts';

const lines: string[] = [];
const api = await startApi({ log: (line) => void lines.push(line) });
test.after.always(() => api.close());

async function get(path: string, headers: Record<string, string>) {
  const sent = request(new URL(path, api.url), { headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

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
