import type { RequestListener, ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  deflateSync,
  gzipSync,
  type BrotliCompress,
  type Gzip,
} from 'node:zlib';
import test from 'ava';
import { createPublicHttp } from '../../clients/public-http.ts';
import { createAddressPolicy } from '../../domain/shared/public-address.ts';
import { HTML, meetSites, PAGE_LIMIT, pour, redirectTo, request } from '../support/http/sites.ts';
import { message } from '../support/http/strangers.ts';

const sites = meetSites();
test.after.always(() => sites.close());

const { get, serve, servePage } = sites;
const SHORT_MS = 400;

/** Serves one body whose end is the client's; the promise ends with its connection. */
function serveEndless(
  fill: (response: ServerResponse) => void,
  headers: Record<string, string> = {},
) {
  const closed = Promise.withResolvers<void>();
  const server = serve((_, response) => {
    response.on('close', closed.resolve).writeHead(200, { ...HTML, ...headers });
    fill(response);
  });
  return { server, closed: closed.promise };
}

test.serial('a page comes with its status, headers, address and body', async (t) => {
  const server = await servePage('<title>Paper</title>');
  const { headers, ...page } = (await get(`${server}/a?b=c#part`)) as { headers: object };
  t.deepEqual(page, {
    statusCode: 200,
    address: `${server}/a?b=c`,
    redirects: 0,
    body: Buffer.from('<title>Paper</title>'),
    isCut: false,
  });
  t.like(headers, HTML);
});

test.serial('only the headers of the caller are sent, to each hop, and no cookies', async (t) => {
  const seen: object[] = [];
  const server = await serve(({ url, method, headers, rawHeaders }, response) => {
    t.is(method, 'GET');
    t.is(rawHeaders.length, 8);
    seen.push(headers);
    response.setHeader('set-cookie', 'seen=1; Path=/');
    if (url === '/') return redirectTo(response, '/page');
    return response.writeHead(200, HTML).end();
  });
  t.like(await get(`${server}/`), { statusCode: 200, redirects: 1 });
  const expected = {
    host: server.slice('http://'.length),
    connection: 'keep-alive',
    accept: 'text/html',
    'accept-encoding': 'gzip, br',
  };
  t.deepEqual(seen, [expected, expected]);
});

test.serial(
  'plain HTTP is allowed for a GET that says so, where it is not for others',
  async (t) => {
    const server = await servePage('plain');
    const policy = createAddressPolicy({ allowedNetworks: ['127.0.0.0/8'] });
    const client = createPublicHttp({ policy, deadlineMs: 2_000 });
    sites.closeLater(client);
    t.like(await client.get(server, request({ isHttpAllowed: true })), { statusCode: 200 });
    t.deepEqual(await client.get(server, request()), { refused: 'address_refused' });
    t.like(await client.post(server, message()), { statusCode: null, error: 'policy' });
  },
);

for (const status of [403, 404, 429, 500, 304]) {
  test.serial(`a ${status} comes with its headers and without its body`, async (t) => {
    const { server, closed } = serveStatus(status);
    const page = await get(await server);
    t.like(page, { statusCode: status, body: Buffer.alloc(0), isCut: false });
    t.like(page, { headers: { 'retry-after': '60' } });
    await closed;
  });
}

function serveStatus(status: number) {
  const closed = Promise.withResolvers<void>();
  const server = serve((_, response) => {
    response.on('close', closed.resolve).writeHead(status, { 'retry-after': '60' });
    response.flushHeaders();
    response.write('a body without an end');
  });
  return { server, closed: closed.promise };
}

const PLAIN = 'é'.repeat(5_000);
const ENCODED: [string, Buffer][] = [
  ['identity', Buffer.from(PLAIN)],
  ['gzip', gzipSync(PLAIN)],
  ['GZIP', gzipSync(PLAIN)],
  ['x-gzip', gzipSync(PLAIN)],
  ['deflate', deflateSync(PLAIN)],
  ['br', brotliCompressSync(PLAIN)],
];

for (const [encoding, bytes] of ENCODED) {
  test.serial(`a body in ${encoding} is decoded`, async (t) => {
    const server = await servePage(bytes, { 'content-encoding': encoding });
    t.like(await get(server), { body: Buffer.from(PLAIN), isCut: false });
  });
}

test.serial('an empty body is one', async (t) => {
  t.like(await get(await servePage('')), { body: Buffer.alloc(0), isCut: false });
});

for (const [encoding, encode] of [
  ['identity', Buffer.from],
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as [string, (bytes: Buffer) => Buffer][]) {
  test.serial(`a body in ${encoding} is whole at the limit and cut one byte later`, async (t) => {
    const headers = { 'content-encoding': encoding };
    const whole = await get(await servePage(encode(Buffer.alloc(PAGE_LIMIT, 'x')), headers));
    t.like(whole, { isCut: false, body: { length: PAGE_LIMIT } });
    const cut = await get(await servePage(encode(Buffer.alloc(PAGE_LIMIT + 1, 'x')), headers));
    t.like(cut, { isCut: true, body: { length: PAGE_LIMIT } });
  });
}

test.serial('of 20 MB in 20 KB no more than the limit is kept', async (t) => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  t.true(bomb.length < 25_000);
  const server = await servePage(bomb, { 'content-encoding': 'gzip' });
  t.like(await get(server), { isCut: true, body: { length: PAGE_LIMIT } });
});

test.serial('a body without an end is cut, and its connection is closed', async (t) => {
  const { server, closed } = serveEndless((response) => pour(response, Buffer.alloc(16_384, 'x')));
  t.like(await get(await server), { isCut: true, body: { length: PAGE_LIMIT } });
  await closed;
});

for (const [encoding, createEncoder] of [
  ['gzip', createGzip],
  ['br', createBrotliCompress],
] as [string, () => Gzip | BrotliCompress][]) {
  test.serial(`a body without an end in ${encoding} is cut as well`, async (t) => {
    const fill = (response: ServerResponse) => {
      const encoder = createEncoder();
      response.on('close', () => encoder.destroy());
      encoder.pipe(response);
      pour(encoder, Buffer.alloc(65_536));
    };
    const { server, closed } = serveEndless(fill, { 'content-encoding': encoding });
    t.like(await get(await server), { isCut: true, body: { length: PAGE_LIMIT } });
    await closed;
  });
}

test.serial('a body that decodes to nothing without an end is not read for ever', async (t) => {
  const nothing = Buffer.concat(Array.from({ length: 800 }, () => gzipSync('')));
  const { server, closed } = serveEndless((response) => pour(response, nothing), {
    'content-encoding': 'gzip',
  });
  t.deepEqual(await get(await server), { refused: 'unreadable_body' });
  await closed;
});

for (const [type, isRead] of [
  ['text/html', true],
  ['TEXT/HTML ; Charset="UTF-8"', true],
  ['application/xhtml+xml;charset=utf-8', true],
  ['text/htmlx', false],
  [`text/html${' '.repeat(12_000)}x`, false],
  ['image/svg+xml', false],
  ['application/json; a=text/html', false],
  ['', false],
  [null, false],
] as const) {
  test.serial(
    `the content type ${type?.slice(0, 40)} is ${isRead ? 'read' : 'refused'}`,
    async (t) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const server = await serve((_, response) => {
        response.on('close', resolve);
        if (type !== null) response.setHeader('content-type', type);
        response.write('x'); // a body without an end: its type is judged before
        if (isRead) response.end();
      });
      const page = await get(server);
      if (isRead) t.like(page, { statusCode: 200 });
      else t.deepEqual(page, { refused: 'wrong_type' });
      await promise;
    },
  );
}

test.serial('a server without TLS behind https is named so', async (t) => {
  const server = await servePage('plain');
  t.deepEqual(await get(server.replace('http:', 'https:')), { refused: 'tls_failed' });
});

const SILENT: [string, RequestListener][] = [
  ['the headers', () => undefined],
  ['the body', (_, response) => void response.writeHead(200, HTML).write('a')],
  [
    'an encoded body',
    (_, response) => {
      response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
      response.write(gzipSync(PLAIN).subarray(0, 40));
    },
  ],
  [
    'a body that comes a byte at a time',
    (_, response) => {
      response.writeHead(200, HTML);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    },
  ],
  [
    'all redirects together',
    ({ url }, response) => {
      const late = setTimeout(() => redirectTo(response, `${url}x`), SHORT_MS / 3);
      response.on('close', () => clearTimeout(late));
    },
  ],
];

for (const [what, handler] of SILENT) {
  test.serial(`the deadline lies over ${what}`, async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await serve((request, response) => {
      request.socket.on('close', closed.resolve);
      handler(request, response);
    });
    t.deepEqual(await get(server, { deadlineMs: SHORT_MS }), { refused: 'timed_out' });
    await closed.promise;
  });
}

test.serial('the deadline lies over the look-up of a name and over the connection', async (t) => {
  const silent = sites.client({ resolve: () => new Promise(() => undefined) });
  const refused = { refused: 'timed_out' };
  const hasty = request({ deadlineMs: SHORT_MS });
  t.deepEqual(await silent.get('http://silent.example/', hasty), refused);
  const { url } = await sites.serveNobody();
  t.deepEqual(await get(url, hasty), refused);
});

test.serial('the deadline is 8 seconds where the caller names none', async (t) => {
  const asked = Promise.withResolvers<void>();
  const silent = sites.client({
    resolve() {
      asked.resolve();
      return new Promise(() => undefined);
    },
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  let page: object | null = null;
  const read = silent.get('http://silent.example/', request()).then((found) => (page = found));
  await asked.promise;
  mock.timers.tick(7_999);
  await turn();
  t.is(page, null);
  mock.timers.tick(1);
  t.deepEqual(await read, { refused: 'timed_out' });
});

test.serial('a client that closes ends its requests', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await serve(() => arrived.resolve());
  const policy = createAddressPolicy({ allowedNetworks: ['127.0.0.0/8'] });
  const client = createPublicHttp({ policy, deadlineMs: 2_000 });
  const page = client.get(server, request({ isHttpAllowed: true }));
  await arrived.promise;
  await client.close();
  t.deepEqual(await page, { refused: 'unreachable' });
});
