import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { createPublicHttp, type PublicHttp } from '../../clients/public-http.ts';
import { createAddressPolicy } from '../../domain/shared/public-address.ts';

const servers: Server[] = [];
const clients: PublicHttp[] = [];

test.after.always(async () => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await Promise.all(clients.map((client) => client.close()));
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

test('the same deadline lies over the body', async (t) => {
  const url = await serve((_, response) => void response.writeHead(200).write('a'));
  const answer = await open(['127.0.0.0/8'], 2_000).post(url, message());
  t.like(answer, { statusCode: 200, error: 'timeout', bodyStart: 'a' });
});

test('a response that breaks off keeps the start of its body', async (t) => {
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('only a bit', () => {
      request.socket.end();
    });
  });
  const answer = await open().post(url, message());
  t.like(answer, { statusCode: 200, error: 'reset', bodyStart: 'only a bit' });
});

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
