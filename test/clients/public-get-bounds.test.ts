import { channel } from 'node:diagnostics_channel';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import test from 'ava';
import { HTML, meetSites, pour, request } from '../support/http/sites.ts';
import { answerNames } from '../support/http/strangers.ts';
import { watchDials } from '../support/webhooks/dials.ts';
import { startNameServer } from '../support/webhooks/name-server.ts';

const sites = meetSites();
const dials = watchDials();
test.after.always(async () => {
  dials.stop();
  await sites.close();
});

const { get, serve, serveBytes } = sites;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n';
const MORE_THAN_A_READ = Buffer.alloc(70_000, 'x');

test.serial('a server that closes under a long body of a redirect ends no process', async (t) => {
  const isClosed = Promise.withResolvers<void>();
  const { url } = await serveBytes(async (socket, text) => {
    if (text.startsWith('GET / ')) {
      socket.on('close', isClosed.resolve);
      socket.write('HTTP/1.1 302 Found\r\nlocation: /page\r\nconnection: close\r\n\r\n');
      return socket.end(MORE_THAN_A_READ);
    }
    await isClosed.promise;
    return socket.end(`${HEAD}connection: close\r\n\r\narrived`);
  });
  t.like(await get(url), { redirects: 1, body: Buffer.from('arrived') });
});

test.serial(
  'a server that closes before its encoded body is decoded ends no process',
  async (t) => {
    const page = randomBytes(500_000);
    const { url } = await serveBytes((socket) => {
      socket.write(`${HEAD}content-encoding: gzip\r\nconnection: close\r\n\r\n`);
      socket.end(gzipSync(page));
    });
    t.like(await get(url), { body: page, isCut: false });
  },
);

for (const [count, expected] of [
  [20, { statusCode: 200 }],
  [21, { refused: 'unreachable' }],
] as const) {
  test.serial(
    `${count} informational responses before a page are ${JSON.stringify(expected)}`,
    async (t) => {
      const { url } = await serveBytes((socket) => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(count));
        socket.end(`${HEAD}content-length: 1\r\n\r\nx`);
      });
      t.like(await get(url), expected);
    },
  );
}

const BESIDE: [string, string, string][] = [
  ['the extensions of a chunk', '1;', 'x'.repeat(16_384)],
  ['chunks of one byte', '1\r\nx', '\r\n1;a=123456789012345678901234567890\r\nx'.repeat(400)],
  ['trailers', '1\r\nx\r\n0\r\n', `a: ${'x'.repeat(1_000)}\r\n`],
];

for (const [what, start, more] of BESIDE) {
  test.serial(`${what} without an end are not read for ever`, async (t) => {
    const isClosed = Promise.withResolvers<void>();
    let server: Socket | undefined;
    const { url } = await serveBytes((socket) => {
      server = socket.on('close', isClosed.resolve);
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n${start}`);
      pour(socket, more);
    });
    t.deepEqual(await get(url), { refused: 'unreadable_body' });
    await isClosed.promise;
    t.true(server!.bytesWritten < 8_000_000);
  });
}

test.serial('the deadline ends a connection that is under way', async (t) => {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  channel('net.client.socket').subscribe(onSocket);
  t.teardown(() => channel('net.client.socket').unsubscribe(onSocket));
  const { url } = await sites.serveNobody();
  const before = sockets.length;
  t.deepEqual(await get(url, { deadlineMs: 300 }), { refused: 'timed_out' });
  const [socket] = sockets.slice(before);
  t.true(socket!.destroyed);
});

test.serial('the deadline ends a look-up that is under way', async (t) => {
  const names = await startNameServer();
  sites.closeLater(names);
  const client = sites.client({ servers: [names.server] });
  const first = client.get('http://hang-first.example/', request({ deadlineMs: 300 }));
  t.deepEqual(await first, { refused: 'timed_out' });
  const later = client.get('http://hang-later.example/', request({ deadlineMs: 60_000 }));
  // Twice in vain: by then the first one would have been repeated too.
  await names.untilAsked('hang-later.example', 5);
  t.is(names.timesAsked('hang-first.example'), 2, 'once for each family of addresses');
  await client.close();
  t.deepEqual(await later, { refused: 'unreachable' });
});

test.serial('only the first 8 addresses of a name are tried, and all are judged', async (t) => {
  const server = await sites.servePage('there');
  const port = Number(new URL(server).port);
  const quiet = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
  const { resolve } = answerNames({
    'eighth.example': () => [...quiet.slice(1), '127.0.0.1'],
    'ninth.example': () => [...quiet, '127.0.0.1'],
    'private.example': () => [...quiet, '127.0.0.1', '10.0.0.1'],
  });
  const client = sites.client({ resolve });
  const read = (name: string) => client.get(`http://${name}:${port}/`, request());
  t.like(await read('eighth.example'), { body: Buffer.from('there') });
  const before = dials.all().length;
  t.deepEqual(await read('ninth.example'), { refused: 'unreachable' });
  t.deepEqual(
    dials.all().slice(before),
    quiet.map((address) => `${address}:${port}`),
  );
  t.deepEqual(await read('private.example'), { refused: 'unreachable' });
  t.is(dials.all().length, before + 8);
});

const BROKEN: [string, RequestListener][] = [
  [
    'is no gzip',
    (_, response) => response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end('plain'),
  ],
  [
    'is half of a gzip',
    (_, response) => {
      response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
      response.end(gzipSync('plain'.repeat(2_000)).subarray(0, 40));
    },
  ],
  [
    'has an unknown encoding',
    (_, response) => response.writeHead(200, { ...HTML, 'content-encoding': 'zstd' }).end('x'),
  ],
  [
    'is encoded twice',
    (_, response) => {
      response.writeHead(200, { ...HTML, 'content-encoding': 'gzip, gzip' });
      response.end(gzipSync(gzipSync('plain'.repeat(2_000))));
    },
  ],
  [
    'breaks off',
    ({ socket }, response) => {
      response.writeHead(200, { ...HTML, 'content-length': 100 });
      response.write('only a bit', () => socket.end());
    },
  ],
];

for (const [what, handler] of BROKEN) {
  test.serial(`a body that ${what} is unreadable`, async (t) => {
    t.deepEqual(await get(await serve(handler)), { refused: 'unreadable_body' });
  });
}
