import { lookup } from 'node:dns/promises';
import test from 'ava';
import { createNameResolver } from '../../clients/name-resolver.ts';
import { startNameServer } from '../support/webhooks/name-server.ts';
import { meetStrangers, message } from '../support/http/strangers.ts';

const strangers = meetStrangers();
test.after.always(() => strangers.close());

const SILENT = Array.from({ length: 8 }, (_, index) => `hang${index}.example`);

async function meet(options: { deadlineMs?: number; allowedNetworks?: string[] } = {}) {
  const names = await startNameServer();
  strangers.closeLater(names);
  const { port } = await strangers.serve((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  const client = strangers.client({ ...options, servers: [names.server] });
  const post = (host: string) => client.post(`http://${host}:${port}/`, message());
  return { names, port, client, post };
}

test('names whose name servers are silent delay no other name', async (t) => {
  const { names, post, client } = await meet();
  const ended: string[] = [];
  const posts = SILENT.map((name) => post(name).then(() => ended.push(name)));
  await Promise.all(SILENT.map((name) => names.untilAsked(name, 2)));
  t.like(await post('ok.example'), { statusCode: 200, error: null, ip: '127.0.0.1' });
  await lookup('localhost');
  t.deepEqual(ended, [], 'the silent ones are still waited for');
  await client.close();
  await Promise.all(posts);
});

test('a name server that is silent until the deadline is "timeout", and is asked no more', async (t) => {
  const { names, port, post } = await meet({ deadlineMs: 200 });
  t.like(await post('hang-first.example'), { statusCode: null, error: 'timeout', ip: null });
  const patient = strangers.client({ servers: [names.server] });
  const later = patient.post(`http://hang-later.example:${port}/`, message());
  // Twice in vain: by then the first one would have been repeated too.
  await names.untilAsked('hang-later.example', 5);
  t.is(names.timesAsked('hang-first.example'), 2, 'once for each family of addresses');
  await patient.close();
  t.like(await later, { statusCode: null });
});

test('a name server that is silent about IPv6 alone keeps no delivery from IPv4', async (t) => {
  const { post } = await meet();
  t.like(await post('ok4-only.example'), { statusCode: 200, error: null, ip: '127.0.0.1' });
});

test('IPv6 addresses alone wait for a second question about IPv4, and are used then', async (t) => {
  const { names } = await meet();
  const resolver = createNameResolver({ deadlineMs: 10_000, servers: [names.server] });
  const found = await resolver.resolve('ok6-only.example');
  t.deepEqual(found, [{ address: '::1', family: 6 }]);
  t.is(names.timesAsked('ok6-only.example'), 3);
});

test('a name that does not exist and a name server that fails are "dns"', async (t) => {
  const { post } = await meet();
  for (const name of ['nobody.example', 'fail.example']) {
    t.like(await post(name), { statusCode: null, error: 'dns', ip: null }, name);
  }
});

test('no reachable name server is "dns", and not a refusal of the receiver', async (t) => {
  const names = await startNameServer();
  await names.close();
  const client = strangers.client({ servers: [names.server] });
  t.like(await client.post('http://ok.example/', message()), { error: 'dns', ip: null });
});

test('the addresses of a name server are vetted', async (t) => {
  const { post } = await meet({ allowedNetworks: ['198.51.100.0/24'] });
  t.like(await post('ok.example'), { statusCode: null, error: 'policy', ip: null });
});

test('a name in the hosts file is asked of no name server', async (t) => {
  const { names, post } = await meet({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  for (const name of ['localhost', 'LocalHost.']) t.like(await post(name), { statusCode: 200 });
  t.is(names.timesAsked('localhost'), 0);
});
