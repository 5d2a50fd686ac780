import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { z } from 'zod';
import { csv, json } from '../../../api/response.ts';
import { defineRoute } from '../../../api/route.ts';
import { startApi } from '../../support/http/api.ts';
import { eventually } from '../../support/eventually.ts';

const shared = { credential: 'public', limit: null, statuses: [200], errors: [] } as const;

const echo = defineRoute({
  ...shared,
  method: 'POST',
  path: '/api/echo',
  summary: 'How much came',
  input: { body: { kind: 'bytes', shape: z.instanceof(Buffer) } },
  handler: ({ body }) => json({ length: body.length }),
});

async function* endless() {
  for (;;) yield await Promise.resolve('a line\r\n'.repeat(1_000));
}

const stream = defineRoute({
  ...shared,
  method: 'GET',
  path: '/export',
  summary: 'Never ends',
  input: {},
  handler: () => csv('lines.csv', endless()),
});

type Line = { level: number; msg: string };

const INFO = 30;

const lines: Line[] = [];
const api = await startApi({
  log: (line) => void lines.push(JSON.parse(line) as Line),
  routes: [echo, stream],
});
test.after.always(() => api.close());

const POST = 'POST /api/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const CHUNKED = `${POST}transfer-encoding: chunked\r\n\r\n`;

// Each leaves the connection to the server, or breaks it.
const BROKEN: [what: string, bytes: string, end: 'wait' | 'end' | 'reset'][] = [
  ['a chunk without a length', `${CHUNKED}5\r\nhello\r\nzz\r\n`, 'wait'],
  ['a chunked body without its end', `${CHUNKED}5\r\nhel`, 'end'],
  ['a body shorter than its length', `${POST}content-length: 50\r\n\r\n{`, 'end'],
  ['a body that breaks off', `${POST}content-length: 50\r\n\r\n{`, 'reset'],
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
