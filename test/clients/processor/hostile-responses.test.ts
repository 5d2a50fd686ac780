import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { meetStrangers, message } from '../../support/http/strangers.ts';

const strangers = meetStrangers();
test.after.always(() => strangers.close());

const OK = 'HTTP/1.1 200 OK\r\n';
const DEADLINE_MS = 700;
const MOST_MEMORY = 64 * 1_024 * 1_024;

type Stranger = (socket: Socket) => void;

/** By all of them, in bytes. */
let poured = 0;

/** Writes the same bytes for as long as somebody takes them. */
function pouring(start: string, bytes: string): Stranger {
  const many = Buffer.from(bytes.repeat(Math.ceil(16_384 / bytes.length)));
  return (socket) => {
    socket.write(start);
    const go = () => {
      do poured += many.length;
      while (!socket.destroyed && socket.write(many));
    };
    socket.on('drain', go);
    go();
  };
}

/** A byte now and then: each of them in time, all of them never. */
function dripping(start: string, byte: string, everyMs = 50): Stranger {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(byte), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

type Expected = { statusCode: number | null; error: string | null };

async function meet(
  t: ExecutionContext,
  answer: Stranger,
  { expected, deadlineMs = DEADLINE_MS }: { expected: Expected; deadlineMs?: number },
) {
  const { url } = await strangers.serve(answer);
  const before = process.memoryUsage.rss();
  const pouredBefore = poured;
  const met = await strangers.client({ deadlineMs }).post(url, message());
  t.like(met, { ...expected, ip: '127.0.0.1' });
  // What was read is not collected at once; what was kept would be all of it.
  const most = MOST_MEMORY + (poured - pouredBefore) / 4;
  t.true(process.memoryUsage.rss() - before < most, 'memory is bounded');
  t.true((met.bodyStart ?? '').length <= 2_048);
  return met;
}

const RESET: Expected = { statusCode: null, error: 'reset' };
const TIMEOUT: Expected = { statusCode: null, error: 'timeout' };
/** Any 2xx is success, whatever becomes of its body. */
const ACCEPTED: Expected = { statusCode: 200, error: null };
const FAULT = 'HTTP/1.1 500 Internal Server Error\r\n';

const CASES: [string, Stranger, Expected][] = [
  ['header lines without an end', pouring(OK, 'x-a: b\r\n'), RESET],
  ['one header without an end', pouring(`${OK}x: `, 'x'), RESET],
  ['a status line without an end', pouring('HTTP/1.1 200 ', 'x'), TIMEOUT],
  ['something that is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), RESET],
  ['bytes that mean nothing', (socket) => socket.end(Buffer.alloc(4_096, 0xfe)), RESET],
  [
    'two different lengths',
    (socket) => socket.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    RESET,
  ],
  ['a length that is none', (socket) => socket.end(`${OK}content-length: -1\r\n\r\n`), RESET],
  ['a status that is none', (socket) => socket.end('HTTP/1.1 2000 OK\r\n\r\n'), RESET],
  [
    'an upgrade that nobody asked for',
    (socket) => socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    RESET,
  ],
  ['an end before the first byte', (socket) => socket.end(), RESET],
  ['an end inside of the headers', (socket) => socket.end(`${OK}x: y`), RESET],
  [
    'an end inside of the body',
    (socket) => socket.end(`${OK}content-length: 10\r\n\r\nabc`),
    ACCEPTED,
  ],
  [
    'an end inside of the body of a failure',
    (socket) => socket.end(`${FAULT}content-length: 10\r\n\r\nabc`),
    { statusCode: 500, error: 'reset' },
  ],
  [
    'an end right after the headers',
    (socket) => socket.end(`${OK}content-length: 10\r\n\r\n`),
    ACCEPTED,
  ],
  [
    'a body that is too long',
    (socket) => socket.end(`${OK}content-length: 1\r\n\r\nabc`),
    ACCEPTED,
  ],
  [
    'a reset inside of the body',
    (socket) => socket.write(`${OK}content-length: 10\r\n\r\nabc`, () => socket.resetAndDestroy()),
    ACCEPTED,
  ],
  [
    'a chunk that ends early',
    (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\n9\r\nabc`),
    ACCEPTED,
  ],
  [
    'a chunk that is none',
    (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nab`),
    ACCEPTED,
  ],
  ['silence', () => undefined, TIMEOUT],
  ['headers that drip', dripping(`${OK}x-slow: `, 'a'), TIMEOUT],
  ['a body that drips', dripping(`${OK}content-length: 100000\r\n\r\n`, 'a'), ACCEPTED],
  [
    'the body of a failure that drips',
    dripping(`${FAULT}content-length: 100000\r\n\r\n`, 'a'),
    { statusCode: 500, error: 'timeout' },
  ],
  [
    'chunk extensions without an end',
    pouring(`${OK}transfer-encoding: chunked\r\n\r\n1;`, 'x'),
    ACCEPTED,
  ],
  [
    'trailers without an end',
    pouring(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`, 'x-a: b\r\n'),
    ACCEPTED,
  ],
  [
    'informational answers without an end',
    pouring('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    TIMEOUT,
  ],
];

for (const [what, answer, expected] of CASES) {
  test.serial(`a receiver that answers with ${what}: ${expected.error ?? 'success'}`, async (t) => {
    await meet(t, answer, { expected });
  });
}

for (const status of ['204 No Content', '304 Not Modified']) {
  for (const head of ['content-length: 4', 'transfer-encoding: chunked', 'x: y']) {
    for (const body of ['', 'body']) {
      const bytes = `HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`;
      test.serial(`${status} with ${head} and "${body}" ends with its headers`, async (t) => {
        const statusCode = Number.parseInt(status);
        const answer: Stranger = (socket) => void socket.write(bytes);
        const { bodyStart } = await meet(t, answer, { expected: { statusCode, error: null } });
        t.is(bodyStart, '');
      });
    }
  }
}

test.serial('a body without an end is read to 64 KiB and dropped', async (t) => {
  let sent = 0;
  const { bodyStart } = await meet(
    t,
    (socket) => {
      socket.on('close', () => (sent = socket.bytesWritten));
      pouring(`${OK}content-type: text/plain\r\n\r\n`, 'x')(socket);
    },
    { expected: { statusCode: 200, error: null }, deadlineMs: 10_000 },
  );
  t.is(bodyStart, 'x'.repeat(2_048));
  t.true(sent < 16 * 1_024 * 1_024, `${sent} bytes were taken`);
});

test.serial('a gzip bomb stays packed: nothing that was not asked for is unpacked', async (t) => {
  const bomb = gzipSync(Buffer.alloc(256 * 1_024 * 1_024));
  const { bodyStart } = await meet(
    t,
    (socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
    { expected: { statusCode: 200, error: null }, deadlineMs: 10_000 },
  );
  t.false(bodyStart!.includes('\0'));
});

test.serial('the sender waits up to 10 seconds for a response, dripped or not', async (t) => {
  const slow = dripping(`${FAULT}content-length: 100000\r\n\r\n`, 'a', 400);
  const { durationMs } = await meet(t, slow, {
    expected: { statusCode: 500, error: 'timeout' },
    deadlineMs: 10_000,
  });
  t.true(durationMs > 9_900, `${durationMs} ms`);
});

test.serial('the deadline lies over the lookup', async (t) => {
  const client = strangers.client({
    deadlineMs: DEADLINE_MS,
    resolve: () => new Promise(() => {}),
  });
  t.like(await client.post('http://slow.example/', message()), { ...TIMEOUT, ip: null });
});

test.serial('the deadline lies over the connect', async (t) => {
  const { url } = await strangers.serveNobody();
  t.like(await strangers.client({ deadlineMs: DEADLINE_MS }).post(url, message()), TIMEOUT);
});

test.serial('the deadline lies over the TLS handshake', async (t) => {
  const { port } = await strangers.serve(() => undefined);
  const client = strangers.client({ deadlineMs: DEADLINE_MS });
  t.like(await client.post(`https://127.0.0.1:${port}/`, message()), TIMEOUT);
});
