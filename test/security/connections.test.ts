import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import test from 'ava';
import { showReadiness } from '../../api/health/health.routes.ts';
import type { Services } from '../../api/services.ts';
import { createHttpServer } from '../../platform/http-server.ts';

async function serve(handler: RequestListener): Promise<Server> {
  const server = createHttpServer(handler, { checkingMs: 20 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const dial = (server: Server, halfOpen = false) => {
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: halfOpen,
  });
  return socket.on('error', () => undefined);
};

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

test('requests sent ahead on one connection are served one after the other', async (t) => {
  let running = 0;
  let most = 0;
  let served = 0;
  const server = await serve((_, response) => {
    running += 1;
    served += 1;
    most = Math.max(most, running);
    setImmediate(() => {
      running -= 1;
      response.end(`answer ${served}`);
    });
  });
  const socket = dial(server);
  socket.write(GET.repeat(49) + LAST);
  const text = Buffer.concat(await socket.toArray()).toString();
  t.is(most, 1);
  const answers = [...text.matchAll(/answer (\d+)/g)].map(([, nth]) => Number(nth));
  t.deepEqual(
    answers,
    [...Array(50).keys()].map((nth) => nth + 1),
  );
  server.close();
});

test('nothing is served behind an answer that was the last of its connection', async (t) => {
  let served = 0;
  const server = await serve((_, response) => {
    served += 1;
    response.end();
  });
  const socket = dial(server);
  socket.write(LAST + GET.repeat(3));
  await socket.toArray();
  t.is(served, 1);
  server.close();
});

test('whoever sends thousands of requests ahead loses the connection', async (t) => {
  let served = 0;
  const server = await serve(() => (served += 1));
  const socket = dial(server);
  socket.write(GET.repeat(2_000));
  await once(socket, 'close');
  t.is(served, 1, 'the first was not answered yet');
  server.close();
});

test('a slow body costs its sender the connection, whose other half may stay open', async (t) => {
  const server = await serve((request) => request.resume());
  t.true(server.maxConnections > 0);
  t.true(Math.max(server.requestTimeout, server.headersTimeout) < 30_000);
  server.requestTimeout = 50;
  server.headersTimeout = 50;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = dial(server, true);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nslow');
  const [ours] = await accepted;
  const [first] = await once(socket, 'data');
  t.regex(String(first), /^HTTP\/1.1 408 /);
  if (!ours.destroyed) await once(ours, 'close');
  t.true(ours.destroyed);
  socket.destroy();
  server.close();
});

test('all who ask for readiness at once are answered by one look at the database', async (t) => {
  let looks = 0;
  const pool = { query: () => Promise.resolve((looks += 1)) };
  const services = { database: { pool }, temporal: null } as unknown as Services;
  const ask = () => showReadiness.handler({ services } as never);
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  t.true(answers.every(({ status }) => status === 200));
  t.is(looks, 1);
});
