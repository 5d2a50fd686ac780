import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createUiProxy } from '../scripts/temporal-ui-proxy.ts';

const listen = async (t: ExecutionContext, server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => (server.close(), server.closeAllConnections()));
  return (server.address() as AddressInfo).port;
};

test('Temporal’s pages answer this machine and their own name, and nobody else', async (t) => {
  const seen: string[] = [];
  const upstream = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    seen.push(`${incoming.method} ${incoming.url} ${body.length}`);
    outgoing.writeHead(201, { 'x-from': 'temporal', 'set-cookie': ['a=1', 'b=2'] }).end(body);
  });
  const target = `http://127.0.0.1:${await listen(t, upstream)}`;
  const port = await listen(t, createUiProxy({ target, name: 'temporal.example.com' }));
  const ask = async (headers: Record<string, string>, path = '/api/v1/x?y=%20z') => {
    const sent = request({ port, path, method: 'POST', headers });
    sent.end('x'.repeat(100_000));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { response, body: await text(response) };
  };
  for (const host of ['localhost:8233', '127.0.0.1:8233', '[::1]:8233', 'temporal.example.com']) {
    const { response, body } = await ask({ host, origin: 'http://localhost:8233' });
    t.is(response.statusCode, 201, host);
    t.is(response.headers['x-from'], 'temporal');
    t.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2']);
    t.is(body.length, 100_000);
  }
  t.deepEqual(seen.splice(0), Array(4).fill('POST /api/v1/x?y=%20z 100000'));
  for (const headers of [
    { host: 'rebind.example:8233' },
    { host: 'localhost.rebind.example' },
    { host: '127.0.0.1.nip.example:8233' },
    { host: 'temporal.example.com@rebind.example' },
    { host: 'localhost:8233', origin: 'https://rebind.example' },
    { host: 'localhost:8233', origin: 'null' },
  ]) {
    const { response, body } = await ask(headers);
    t.is(response.statusCode, 421, JSON.stringify(headers));
    t.regex(body, /answer only as localhost, 127\.0\.0\.1, \[::1\], temporal\.example\.com/);
  }
  const absolute = await ask({ host: 'localhost' }, `http://rebind.example:${port}/`);
  t.is(absolute.response.statusCode, 421);
  t.deepEqual(seen, []);
});
