import { createServer, type RequestListener, type Server } from 'node:http';
import { channel } from 'node:diagnostics_channel';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { answerNames, meetStrangers } from '../support/http/strangers.ts';
import { createPublicHttp, type PublicHttp } from '../../clients/public-http.ts';
import { createAddressPolicy } from '../../domain/shared/public-address.ts';

const servers: Server[] = [];
const clients: PublicHttp[] = [];
const strangers = meetStrangers();

test.after.always(async () => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await Promise.all(clients.map((client) => client.close()));
  await strangers.close();
});

function open(allowedNetworks: string[] = ['127.0.0.0/8'], deadlineMs = 10_000): PublicHttp {
  const policy = createAddressPolicy({ allowedNetworks, isHttpAllowed: true });
  const client = createPublicHttp({ policy, deadlineMs });
  clients.push(client);
  return client;
}

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const message = () => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});

test('an answer carries its status, the address that was dialled and the start of its body', async (t) => {
  const url = await serve((request, response) => {
    t.is(request.method, 'POST');
    response.end('x'.repeat(5_000));
  });
  const answer = await open().post(url, message());
  t.like(answer, { statusCode: 200, error: null, ip: '127.0.0.1' });
  t.is(answer.bodyStart, 'x'.repeat(2_048));
  t.true(Number.isInteger(answer.durationMs));
});

test('a redirect is an answer, never a way: its target is not dialled', async (t) => {
  let hits = 0;
  const target = await serve((_, response) => {
    hits += 1;
    response.end();
  });
  const url = await serve((_, response) => response.writeHead(302, { location: target }).end());
  t.like(await open().post(url, message()), { statusCode: 302, error: null });
  t.is(hits, 0);
});

test('no more than 64 KiB of a body is read', async (t) => {
  let isCut: () => void = () => {};
  const cut = new Promise<void>((resolve) => (isCut = resolve));
  const url = await serve((_, response) => {
    response.on('close', isCut);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', pour);
    pour();
  });
  const answer = await open().post(url, message());
  t.like(answer, { statusCode: 200, error: null });
  t.is(answer.bodyStart?.length, 2_048);
  await cut;
});

test('a body that PostgreSQL could not store is made storable', async (t) => {
  const url = await serve((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62])));
  const { bodyStart } = await open().post(url, message());
  t.is(bodyStart, 'a\uFFFD\uFFFDb');
});

test('one deadline lies over the headers', async (t) => {
  const url = await serve(() => undefined);
  const answer = await open(['127.0.0.0/8'], 2_000).post(url, message());
  t.like(answer, { statusCode: null, error: 'timeout', ip: '127.0.0.1' });
});

for (const [status, late, broken] of [
  [200, null, null],
  [500, 'timeout', 'reset'],
] as const) {
  test.serial(`the same deadline lies over the body of a ${status}`, async (t) => {
    const url = await serve((_, response) => void response.writeHead(status).write('a'));
    const answer = await open(['127.0.0.0/8'], 2_000).post(url, message());
    t.like(answer, { statusCode: status, error: late, bodyStart: 'a' });
  });

  test.serial(`a ${status} that breaks off keeps the start of its body`, async (t) => {
    const url = await serve((request, response) => {
      response.writeHead(status, { 'content-length': 100 }).write('only a bit', () => {
        request.socket.end();
      });
    });
    const answer = await open().post(url, message());
    t.like(answer, { statusCode: status, error: broken, bodyStart: 'only a bit' });
  });
}

test('headers without an end are cut off', async (t) => {
  const url = await serve((_, response) =>
    response.writeHead(200, { 'x-filler': 'x'.repeat(32_768) }).end(),
  );
  t.like(await open().post(url, message()), { statusCode: null, error: 'reset' });
});

test('a closed port is "refused"', async (t) => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const answer = await open().post(`http://127.0.0.1:${port}/`, message());
  t.like(answer, { statusCode: null, error: 'refused' });
});

test('a connection that breaks is "reset"', async (t) => {
  const url = await serve((request) => request.socket.resetAndDestroy());
  t.like(await open().post(url, message()), { statusCode: null, error: 'reset' });
});

test('a server without TLS behind https is "tls"', async (t) => {
  const url = await serve((_, response) => response.end());
  const answer = await open().post(url.replace('http:', 'https:'), message());
  t.like(answer, { statusCode: null, error: 'tls' });
});

test('a name that does not exist is "dns"', async (t) => {
  const answer = await open().post('http://nobody.invalid/', message());
  t.like(answer, { statusCode: null, error: 'dns', ip: null });
});

test('a literal address that is not public is never dialled', async (t) => {
  let hits = 0;
  const url = await serve((_, response) => {
    hits += 1;
    response.end();
  });
  const answer = await open([]).post(url, message());
  t.like(answer, { statusCode: null, error: 'policy', ip: null });
  t.is(hits, 0);
});

test('a name is judged by the addresses that it has, not by how it looks', async (t) => {
  let hits = 0;
  const url = await serve((_, response) => {
    hits += 1;
    response.end();
  });
  const named = url.replace('127.0.0.1', 'localhost');
  const answer = await open(['198.51.100.0/24']).post(named, message());
  t.like(answer, { statusCode: null, error: 'policy', ip: null });
  t.is(hits, 0);
});

test.serial(
  'a receiver that takes a second to connect is met, though its other address refuses',
  async (t) => {
    const receiver = await strangers.serveNobody();
    const { resolve } = answerNames({ 'slow.example': () => ['127.0.0.1', '::1'] });
    const client = strangers.client({ resolve, allowedNetworks: ['127.0.0.0/8', '::1/128'] });
    const connections = channel('net.client.socket');
    const onConnection = (event: unknown) => {
      const { socket } = event as { socket: Socket };
      // The request to connect is gone by then, and has met the full queue.
      socket.once('connectionAttempt', () => process.nextTick(receiver.accept));
    };
    connections.subscribe(onConnection);
    t.teardown(() => connections.unsubscribe(onConnection));
    const answer = await client.post(`http://slow.example:${receiver.port}/`, message());
    t.like(answer, { statusCode: 200, error: null, ip: '127.0.0.1' });
  },
);

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

/** A receiver that answers the first request of each connection, and is asked what it does with others. */
async function serveOnce(onReuse: (socket: Socket) => void) {
  const requests: string[] = [];
  const { url, sockets } = await strangers.serve((socket, request) => {
    requests.push(request);
    socket.write(OK);
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      onReuse(socket);
    });
  });
  return { url, requests, sockets };
}

/** The client keeps the connection once its round of events is over. */
async function postInTurn(client: PublicHttp, url: string, id = 'any') {
  await turn();
  return client.post(url, { ...message(), body: Buffer.from(`{"id":"${id}"}`) });
}

for (const [how, end] of [
  ['closes', (socket: Socket) => void socket.end()],
  ['resets', (socket: Socket) => void socket.resetAndDestroy()],
] as const) {
  test.serial(
    `where a receiver ${how} a kept connection, the message is sent once more at once`,
    async (t) => {
      const { url, requests, sockets } = await serveOnce(end);
      const client = open();
      for (const id of ['first', 'second', 'third']) {
        const answer = await postInTurn(client, url, id);
        t.like(answer, { statusCode: 200, error: null, ip: '127.0.0.1', isSent: true }, id);
      }
      const bodies = requests.map((request) => request.split('\r\n\r\n')[1]);
      const again = ['{"id":"second"}', '{"id":"second"}'];
      // The second connection of the second message was for that message alone.
      t.deepEqual(bodies, ['{"id":"first"}', ...again, '{"id":"third"}']);
      t.is(sockets.size, 3);
    },
  );
}

test.serial('what a receiver closes at the first request is not sent again', async (t) => {
  let hits = 0;
  const { url } = await strangers.serve((socket) => {
    hits += 1;
    socket.end();
  });
  t.like(await open().post(url, message()), { statusCode: null, error: 'reset', isSent: true });
  t.is(hits, 1);
});

test.serial('after a byte of a response nothing is sent again', async (t) => {
  const { url, requests } = await serveOnce((socket) => socket.end('H'));
  const client = open();
  t.like(await postInTurn(client, url), { statusCode: 200 });
  t.like(await postInTurn(client, url), { statusCode: null, error: 'reset' });
  t.is(requests.length, 2);
});

test.serial('a message that is sent once more has the same deadline', async (t) => {
  let connections = 0;
  const { url } = await strangers.serve((socket) => {
    connections += 1;
    if (connections > 1) return; // silent
    socket.write(OK);
    socket.once('data', () => socket.end());
  });
  const client = open(['127.0.0.0/8'], 2_000);
  t.like(await postInTurn(client, url), { statusCode: 200 });
  const answer = await postInTurn(client, url);
  t.like(answer, { statusCode: null, error: 'timeout', isSent: true });
  t.is(connections, 2);
});

test.serial('what never left is not sent', async (t) => {
  t.like(await open().post('http://nobody.invalid/', message()), { isSent: false });
  t.like(await open([]).post('http://127.0.0.1/', message()), { isSent: false });
});
