import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import test from 'ava';
import sharp from 'sharp';
import { startPeople } from '../support/identity/people.ts';
import { sendRaw } from '../support/http/raw-socket.ts';

const people = await startPeople();
const { api } = people;
const PATH = '/settings/profile/picture';
const BOUNDARY = 'the-boundary';

const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#a03060' } })
  .png()
  .toBuffer();

test.after.always(() => api.close());

const part = (disposition: string, value: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const field = (name: string, value: string) => part(`name="${name}"`, value);
const file = part('name="picture"; filename="x.png"', picture);
const END = Buffer.from(`--${BOUNDARY}--\r\n`);

async function signIn() {
  const { browser } = await people.signedIn();
  const page = await (await browser.get('/settings/profile')).text();
  const token = /name="csrf" value="([^"]*)"/.exec(page)![1]!;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = {
    cookie,
    origin: api.url,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  const send = (...parts: Buffer[]) =>
    api.request(PATH, { method: 'POST', headers, body: Buffer.concat(parts) });
  /** The head of a request, whose body is said to be longer than what comes of it. */
  const open = (begun: Buffer, more: Record<string, string> = {}) =>
    Buffer.concat([
      Buffer.from(
        [
          `POST ${PATH} HTTP/1.1`,
          'host: x',
          'content-length: 4000000',
          ...Object.entries({ ...headers, ...more }).map((line) => line.join(': ')),
          '\r\n',
        ].join('\r\n'),
      ),
      begun,
    ]);
  return { token, send, open };
}

test('a form with its token first and its picture behind is taken', async (t) => {
  const { token, send } = await signIn();
  t.is((await send(field('csrf', token), file, END)).status, 303);
});

test('an upload with a wrong token is answered before the rest of it has come', async (t) => {
  const { open } = await signIn();
  const answer = await sendRaw(api.url, open(Buffer.concat([field('csrf', 'x'), file])));
  t.is(answer.status, 403);
  t.is(answer.headers.get('connection'), 'close');
});

test('an upload from elsewhere is answered before any of it has come', async (t) => {
  const { open } = await signIn();
  const foreign = open(Buffer.alloc(0), { origin: 'https://elsewhere.example' });
  t.is((await sendRaw(api.url, foreign)).status, 403);
});

test('a token behind the picture comes too late', async (t) => {
  const { token, send } = await signIn();
  t.is((await send(file, field('csrf', token), END)).status, 403);
  t.is((await send(field('x', 'y'), field('csrf', token), file, END)).status, 403);
  t.is((await send(field('csrf', token), field('csrf', token), file, END)).status, 403);
});

test('nobody is kept busy by thousands of parts, headers or names', async (t) => {
  const { token, send } = await signIn();
  const csrf = field('csrf', token);
  const empty = Buffer.from(`--${BOUNDARY}\r\n\r\n\r\n`);
  const hostile: Record<string, Buffer[]> = {
    'parts without a name': [csrf, file, ...Array<Buffer>(70_000).fill(empty), END],
    'more fields than forms have': [csrf, file, ...Array<Buffer>(5).fill(field('x', 'y')), END],
    'two files': [csrf, file, file, END],
    'a long field': [csrf, field('x', 'y'.repeat(2_000)), file, END],
    'thousands of headers': [
      csrf,
      Buffer.from(`--${BOUNDARY}\r\n${'a: b\r\n'.repeat(500_000)}`),
      file.subarray(BOUNDARY.length + 4),
      END,
    ],
    'no end': [csrf, file],
  };
  for (const [what, parts] of Object.entries(hostile)) {
    t.is((await send(...parts)).status, 400, what);
  }
  const noBoundary = { headers: { 'content-type': 'multipart/form-data' } };
  t.is((await api.request(PATH, { method: 'POST', ...noBoundary, body: 'x' })).status, 401);
});

test('a file of exactly 4 MiB is taken, and one of a byte more is not', async (t) => {
  const { token, send } = await signIn();
  const canvas = sharp({ create: { width: 9, height: 9, channels: 3, background: '#a03060' } });
  const drawn = await canvas.jpeg().toBuffer();
  // Bytes behind the end of a JPEG are not read.
  const ofSize = (size: number) => Buffer.concat([drawn], size);
  for (const [more, status] of [
    [0, 303],
    [1, 413],
    [1_000, 413],
    [100_000, 413],
  ] as const) {
    const large = part('name="picture"; filename="x"', ofSize(4 * 1_024 * 1_024 + more));
    t.is((await send(field('csrf', token), large, END)).status, status, String(more));
  }
});

test('an upload that goes on for ever is cut, and one that breaks off harms nobody', async (t) => {
  const { token, open, send } = await signIn();
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.write(open(Buffer.concat([field('csrf', token), file])));
  socket.once('connect', () => socket.resetAndDestroy());
  const large = [
    field('csrf', token),
    part('name="picture"; filename="x"', randomBytes(5_000_000)),
  ];
  t.is((await send(...large, END)).status, 413);
  t.is((await send(field('csrf', token), file, END)).status, 303);
});
