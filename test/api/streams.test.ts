import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { csv } from '../../api/response.ts';
import { defineRoute } from '../../api/route.ts';
import { createHttpServer } from '../../platform/http-server.ts';
import { startApi } from '../support/http/api.ts';
import { eventually } from '../support/eventually.ts';

async function* failLate() {
  yield 'a line\r\n'.repeat(1_000);
  await Promise.resolve();
  throw new Error('the database is gone');
}

const lines: string[] = [];
const api = await startApi({
  log: (line) => void lines.push(line),
  routes: [
    defineRoute({
      method: 'GET',
      path: '/export',
      summary: 'Fails after its first lines',
      credential: 'public',
      limit: null,
      input: {},
      statuses: [200],
      errors: [],
      handler: () => csv('lines.csv', failLate()),
    }),
  ],
});
test.after.always(() => api.close());

for (const encoding of ['gzip', 'identity']) {
  test(`an export that fails midway breaks off, and the log says so (${encoding})`, async (t) => {
    const response = await api.request('/export', { headers: { 'accept-encoding': encoding } });
    t.is(response.status, 200);
    await t.throwsAsync(response.text());
    const id = response.headers.get('x-request-id')!;
    const line = await eventually(
      async () => lines.find((text) => text.includes('broke off') && text.includes(id)),
      (found) => found !== undefined,
    );
    t.like(JSON.parse(line!), { level: 50 });
  });
}

test('a caller that reads nothing of its response loses the connection', async (t) => {
  const server = createHttpServer((_, response) => response.end(Buffer.alloc(50_000_000)), {
    idleMs: 100,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection');
  const caller = connect(port, '127.0.0.1').pause();
  caller.on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [socket] = (await accepted) as [NodeJS.EventEmitter & { destroyed: boolean }];
  if (!socket.destroyed) await once(socket, 'close');
  t.true(socket.destroyed);
  caller.destroy();
  server.close();
});
