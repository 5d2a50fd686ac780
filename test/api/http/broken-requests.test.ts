import { connect } from 'node:net';
import { once } from 'node:events';
import test from 'ava';
import { z } from 'zod';
import { json, redirect, csv } from '../../../api/http/response.ts';
import { defineRoute } from '../../../api/http/route.ts';
import { startApi } from '../../support/http/api.ts';
import { sendRaw } from '../../support/http/raw-socket.ts';
import { eventually } from '../../support/eventually.ts';

const echo = defineRoute({
  method: 'POST',
  path: '/api/echo',
  summary: 'How much came',
  credential: 'public',
  limit: null,
  input: { body: { kind: 'bytes', shape: z.instanceof(Buffer) } },
  handler: ({ body }) => json({ length: body.length }),
});

const lead = defineRoute({
  method: 'GET',
  path: '/lead',
  summary: 'Leads wherever the caller says',
  credential: 'public',
  limit: null,
  input: { query: z.object({ to: z.string() }) },
  handler: ({ query }) => redirect(query.to),
});

async function* endless() {
  for (;;) yield await Promise.resolve('a line\r\n'.repeat(1_000));
}

const stream = defineRoute({
  method: 'GET',
  path: '/export',
  summary: 'Never ends',
  credential: 'public',
  limit: null,
  input: {},
  handler: () => csv('lines.csv', endless(), {}),
});

type Line = { level: number; msg: string };

const lines: Line[] = [];
const api = await startApi({
  log: (line) => void lines.push(JSON.parse(line) as Line),
  routes: [echo, lead, stream],
});
test.after.always(() => api.close());

const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;
const POST = 'POST /api/echo HTTP/1.1\r\ncontent-type: application/json\r\n';
const CLOSE = 'host: x\r\nconnection: close\r\n';

const TARGETS: [target: string, status: number][] = [
  ['http://[x/', 400],
  ['http://[x/api/echo', 400],
  ['http://elsewhere.example/api/nothing', 404],
  ['http://elsewhere.example', 404],
  ['//api/echo', 404],
  ['/api/echo/', 404],
  ['/api%2Fecho', 404],
  ['/%', 400],
];

for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
  for (const [target, status] of TARGETS) {
    test(`${method} ${target} is answered`, async (t) => {
      const answer = await sendRaw(api.url, `${method} ${target} HTTP/1.1\r\n${CLOSE}\r\n`);
      t.regex(answer.headers.get('x-request-id') ?? '', REQUEST_ID);
      t.is(answer.headers.get('x-content-type-options'), 'nosniff');
      t.is(answer.status, status);
    });
  }
}

test('what no header can carry is a fault of ours, and nothing of it goes out', async (t) => {
  for (const to of ['/a%0d%0aset-cookie:%20x=y', '/%C4%80']) {
    const answer = await sendRaw(api.url, `GET /lead?to=${to} HTTP/1.1\r\n${CLOSE}\r\n`);
    t.is(answer.status, 500);
    t.false(answer.headers.has('set-cookie'));
    t.false(answer.headers.has('location'));
  }
});

for (const [method, path, status] of [
  ['HEAD', '/lead?to=/x', 303],
  ['OPTIONS', '/lead', 204],
  ['POST', '/api/nothing', 404],
] as const) {
  test(`${method} is answered before its body has come`, async (t) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`);
    const [first] = await socket.take(1).toArray();
    t.true(String(first).startsWith(`HTTP/1.1 ${status} `), 'not that its body is incomplete');
    t.regex(String(first), /x-request-id/);
    socket.destroy();
  });
}

test('what the parser refuses is refused by Node, and the connection closes', async (t) => {
  for (const [bytes, status] of [
    ['GET http: HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['GET ?x HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['FOO /sign-in HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['nonsense\r\n\r\n', 400],
    ['GET /lead HTTP/1.1\r\n\r\n', 400],
    [`GET /lead HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const answer = await sendRaw(api.url, bytes);
    t.is(answer.status, status, bytes);
    t.is(answer.headers.get('connection')?.toLowerCase(), 'close', bytes);
  }
});

test('CONNECT is closed', async (t) => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
  t.deepEqual(await socket.toArray(), []);
});

// Each ends by itself: the test waits for the connection to close.
const SPOKEN: [what: string, bytes: string, answers: number][] = [
  ['HTTP/1.0', 'GET /lead?to=/x HTTP/1.0\r\n\r\n', 1],
  [
    'a body that is waited for',
    `${POST}expect: 100-continue\r\ncontent-length: 2\r\n${CLOSE}\r\n{}`,
    1,
  ],
  [
    'requests in a row',
    `GET /lead?to=/x HTTP/1.1\r\nhost: x\r\n\r\nHEAD /lead?to=/x HTTP/1.1\r\n${CLOSE}\r\n`,
    2,
  ],
  [
    'a body that never ends',
    'POST /api/nothing HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc',
    1,
  ],
];

for (const [what, bytes, answers] of SPOKEN) {
  test(`${what}: every request is answered once, and the connection closes`, async (t) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(bytes);
    const text = Buffer.concat(await socket.toArray()).toString();
    t.is(text.match(/^x-request-id: req_/gm)?.length, answers, text);
  });
}

test('callers who break off at any time leave the process running', async (t) => {
  const { hostname, port } = new URL(api.url);
  const uploads = [POST, POST.replace('echo', 'nothing')].map(
    (head) => `${head}host: x\r\ncontent-length: 60000\r\n\r\n`,
  );
  for (let nth = 0; nth < 200; nth += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const upload = uploads[nth % 3];
    const bytes = 'GET /lead?to=/x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20);
    socket.write(upload ? `${upload}${'x'.repeat(nth * 200)}` : bytes);
    if (nth % 2) socket.once('connect', () => socket.resetAndDestroy());
    else setImmediate(() => socket.destroy());
  }
  t.is((await sendRaw(api.url, `GET /lead?to=/x HTTP/1.1\r\n${CLOSE}\r\n`)).status, 303);
});

const INFO = 30;

const POST_HERE = 'POST /api/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const CHUNKED = `${POST_HERE}transfer-encoding: chunked\r\n\r\n`;

// Each leaves the connection to the server, or breaks it.
const BROKEN: [what: string, bytes: string, end: 'wait' | 'end' | 'reset'][] = [
  ['a chunk without a length', `${CHUNKED}5\r\nhello\r\nzz\r\n`, 'wait'],
  ['a chunked body without its end', `${CHUNKED}5\r\nhel`, 'end'],
  ['a body shorter than its length', `${POST_HERE}content-length: 50\r\n\r\n{`, 'end'],
  ['a body that breaks off', `${POST_HERE}content-length: 50\r\n\r\n{`, 'reset'],
  ['an unread export', 'GET /export HTTP/1.1\r\nhost: x\r\n\r\n', 'reset'],
];

for (const [what, bytes, end] of BROKEN) {
  test.serial(`${what} is no error of the log`, async (t) => {
    lines.length = 0;
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(bytes);
    await once(socket, 'connect');
    if (end === 'end') socket.end();
    if (end === 'reset') {
      if (bytes.startsWith('GET')) await once(socket, 'data');
      socket.resetAndDestroy();
    } else {
      socket.resume();
      await once(socket, 'close');
    }
    await eventually(
      async () => lines.find(({ msg }) => msg.endsWith('broke off')),
      (line) => line !== undefined,
    );
    t.deepEqual(
      lines.filter(({ level }) => level > INFO),
      [],
    );
    t.true(lines.every((line) => !('err' in line)));
  });
}
