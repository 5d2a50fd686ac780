import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { HTML, meetSites, pour, redirectTo, request } from '../support/http/sites.ts';
import { answerNames } from '../support/http/strangers.ts';
import { watchDials } from '../support/webhooks/dials.ts';

const sites = meetSites();
const dials = watchDials();
test.after.always(async () => {
  dials.stop();
  await sites.close();
});

const { get, serve, servePage, serveChain } = sites;

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n';

for (const status of [301, 302, 303, 307, 308]) {
  test.serial(`a ${status} is followed with a GET, whatever its own body`, async (t) => {
    const server = await serve(({ url, method }, response) => {
      if (url !== '/') return response.writeHead(200, HTML).end(method);
      response.writeHead(status, { location: '/page' });
      return pour(response, 'a body without an end');
    });
    const address = `${server}/page`;
    t.like(await get(`${server}/`), { address, redirects: 1, body: Buffer.from('GET') });
  });
}

const LOCATIONS: [string, string][] = [
  ['page', '/a/page'],
  ['../page', '/page'],
  ['/page?q=1', '/page?q=1'],
  ['?q=2', '/a/b?q=2'],
  ['/page#part', '/page'],
  ['/a b', '/a%20b'],
];

for (const [location, path] of LOCATIONS) {
  test.serial(`the Location ${location} is read against the address before it`, async (t) => {
    const server = await serve(({ url }, response) =>
      url === '/a/b' ? redirectTo(response, location) : response.writeHead(200, HTML).end(url),
    );
    const page = await get(`${server}/a/b`);
    t.like(page, { address: server + path, body: Buffer.from(path) });
  });
}

test.serial('a Location in UTF-8 without escapes is read as such', async (t) => {
  const { url } = await sites.serveBytes((socket, text) => {
    if (!text.startsWith('GET / ')) return socket.end(`${OK}${text.split(' ')[1]}`);
    return socket.end('HTTP/1.1 302 Found\r\nlocation: /größe\r\nconnection: close\r\n\r\n');
  });
  t.like(await get(url), { body: Buffer.from('/gr%C3%B6%C3%9Fe'), redirects: 1 });
});

test.serial('a Location may name another host and scheme-relative addresses', async (t) => {
  const other = await servePage('other');
  const server = await serve((_, response) => redirectTo(response, other.slice('http:'.length)));
  t.like(await get(server), { address: `${other}/`, body: Buffer.from('other') });
});

for (const [what, write] of [
  ['no Location', (response: ServerResponse) => response.writeHead(302)],
  ['a Location that is no address', (response) => redirectTo(response, 'http://[')],
  [
    'two Locations',
    (response) => response.writeHead(302, ['location', '/one', 'location', '/other']),
  ],
] as [string, (response: ServerResponse) => ServerResponse][]) {
  test.serial(`a redirect with ${what} leads nowhere`, async (t) => {
    const server = await serve((_, response) => write(response).end());
    t.deepEqual(await get(server), { refused: 'bad_redirect' });
  });
}

test.serial('five redirects are followed, and a sixth is not', async (t) => {
  const server = await serveChain();
  t.like(await get(`${server}/5`), { redirects: 5, body: Buffer.from('arrived') });
  t.deepEqual(await get(`${server}/6`), { refused: 'too_many_redirects' });
  t.like(await get(`${server}/2`, { mostRedirects: 2 }), { redirects: 2 });
  t.deepEqual(await get(`${server}/1`, { mostRedirects: 0 }), { refused: 'too_many_redirects' });
});

test.serial('redirects in a circle are named so, after as many requests', async (t) => {
  const seen: string[] = [];
  const server = await serve(({ url }, response) => {
    seen.push(url!);
    redirectTo(response, url === '/a' ? '/b#1' : '/a#2');
  });
  t.deepEqual(await get(`${server}/a`), { refused: 'redirect_loop' });
  t.deepEqual(seen, ['/a', '/b', '/a', '/b', '/a', '/b']);
});

test.serial('an address may be met again where it then leads on', async (t) => {
  let visits = 0;
  const server = await serve(({ url }, response) => {
    if (url === '/consent') return redirectTo(response, '/');
    visits += 1;
    if (visits === 1) return redirectTo(response, '/consent');
    return response.writeHead(200, HTML).end();
  });
  t.like(await get(`${server}/`), { statusCode: 200, redirects: 2 });
});

const REFUSED: [string, string][] = [
  ['no address', 'paper'],
  ['another scheme', 'ftp://127.0.0.1/'],
  ['a file', 'file:///etc/passwd'],
  ['a user', 'http://user@127.0.0.1/'],
  ['a password', 'http://:secret@127.0.0.1/'],
  ['the port of a mail server', 'http://127.0.0.1:25/'],
  ['the port of PostgreSQL', 'http://127.0.0.1:5432/'],
  ['too many characters', `http://127.0.0.1/${'x'.repeat(2_048)}`],
];

for (const [what, address] of REFUSED) {
  test.serial(`${what} is refused, as the address and as a hop`, async (t) => {
    const before = dials.all().length;
    t.deepEqual(await get(address), { refused: 'address_refused' });
    t.deepEqual(dials.all().slice(before), []);
    if (what === 'no address') return; // a relative one, as a hop
    const server = await serveChain((left) => (left === 1 ? address : `/${left}`));
    t.deepEqual(await get(`${server}/3`), { refused: 'address_refused' });
    t.is(new Set(dials.all().slice(before)).size, 1);
  });
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

test.serial('private addresses read like those where nobody listens', async (t) => {
  const { resolve } = answerNames({
    'private.example': () => ['10.0.0.1'],
    'mixed.example': () => ['127.0.0.1', '192.168.0.1'],
  });
  const client = sites.client({ resolve });
  for (const address of [
    `http://127.0.0.1:${await closedPort()}/`,
    'http://nobody.example/',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'http://[::1]/',
    'http://private.example/',
    'https://mixed.example/',
  ]) {
    const before = dials.all().length;
    t.deepEqual(await client.get(address, request()), { refused: 'unreachable' }, address);
    t.true(dials.all().length === before || address.startsWith('http://127.'), address);
  }
});

for (const inside of ['http://169.254.169.254/', 'http://inside.example/', 'http://[::1]/']) {
  test.serial(`the fourth hop to ${inside} sends nothing`, async (t) => {
    const { resolve } = answerNames({ 'inside.example': () => ['169.254.169.254'] });
    const server = await serveChain((left) => (left === 1 ? inside : `/${left}`));
    const before = dials.all().length;
    const page = await sites.client({ resolve }).get(`${server}/5`, request());
    t.deepEqual(page, { refused: 'unreachable' });
    t.deepEqual([...new Set(dials.all().slice(before))], [server.slice('http://'.length)]);
  });
}

test.serial('a name is looked up once for each connection, and judged each time', async (t) => {
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
  const names = answerNames({ 'rebind.example': () => answers.shift()! });
  const inner = await servePage('inside');
  const target = inner.replace('127.0.0.1', 'rebind.example');
  const outer = await serve((_, response) => redirectTo(response, target));
  const client = sites.client({ resolve: names.resolve });
  const before = dials.all().length;
  const page = await client.get(outer.replace('127.0.0.1', 'rebind.example'), request());
  t.deepEqual(page, { refused: 'unreachable' });
  t.is(names.asked.length, 2);
  t.deepEqual(dials.all().slice(before), [outer.slice('http://'.length)]);
  t.like(await client.get(target, request()), { body: Buffer.from('inside') });
});
