import { createRequire } from 'node:module';
import test from 'ava';
import { RANGES } from '../support/http/address-ranges.ts';
import { watchDials } from '../support/webhooks/dials.ts';
import { answerNames, meetStrangers, message } from '../support/http/strangers.ts';

const strangers = meetStrangers();
const dials = watchDials();
test.after.always(async () => {
  dials.stop();
  await strangers.close();
});

const POLICY = { statusCode: null, error: 'policy', ip: null } as const;
const asHost = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** A listener on this machine that must not hear anything. */
async function startListener() {
  let hits = 0;
  const { port, url, sockets } = await strangers.serve((socket) => {
    hits += 1;
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  return { port, url, hits: () => hits + sockets.size };
}

for (const { range, inside } of RANGES) {
  test.serial(
    `nothing is dialled in ${range}: as a literal, as an answer, beside a public one`,
    async (t) => {
      const before = dials.all().length;
      for (const address of inside) {
        const names = answerNames({
          'hook.example': () => [address],
          'first.example': () => [address, '8.8.8.8'],
          'last.example': () => ['8.8.8.8', '2a00:1450:4001::1', address],
        });
        const client = strangers.client({ allowedNetworks: [], resolve: names.resolve });
        const hosts = [asHost(address), 'hook.example', 'first.example', 'last.example'];
        for (const host of hosts) {
          for (const scheme of ['http', 'https']) {
            t.like(
              await client.post(`${scheme}://${host}/`, message()),
              POLICY,
              `${host} ${address}`,
            );
          }
        }
        t.deepEqual([...new Set(names.asked)], hosts.slice(1), 'literals are asked of nobody');
      }
      t.deepEqual(dials.all().slice(before), []);
    },
  );
}

// This machine, in every way that a URL can write it.
const DISGUISES = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0x7f000001',
  '0x7F.0x0.0x0.0x1',
  '0X7f.1',
  '0',
  '0.0.0.0',
  '127.255.255.254',
  '%31%32%37.0.0.1',
  '%3127.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '0ｘ7f.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:FF9B::7F00:1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  'localhost',
  'LOCALHOST',
  'LocalHost.',
  'localhost..',
  'ｌｏｃａｌｈｏｓｔ',
  'api.localhost',
  'a.b.LOCALHOST.',
  'intranet',
  'gatehouse-db',
  '127.0.0.1.5',
  '256.0.0.1',
  '.',
];

for (const host of DISGUISES) {
  test.serial(`http://${host}/ reaches nothing`, async (t) => {
    const listener = await startListener();
    const names = answerNames({});
    const client = strangers.client({ allowedNetworks: [], resolve: names.resolve });
    const before = dials.all().length;
    t.like(await client.post(`http://${host}:${listener.port}/`, message()), POLICY);
    t.deepEqual(dials.all().slice(before), []);
    t.deepEqual(names.asked, [], 'refused before any lookup');
    t.is(listener.hits(), 0);
  });
}

const UNWANTED: [string, (port: number) => string][] = [
  ['a user', (port) => `http://user@127.0.0.1:${port}/`],
  ['a password', (port) => `http://:secret@127.0.0.1:${port}/`],
  ['another host before the @', (port) => `http://example.com@127.0.0.1:${port}/`],
  ['an encoded @', (port) => `http://example.com%40127.0.0.1:${port}/`],
  ['another scheme', (port) => `ftp://127.0.0.1:${port}/`],
  ['a backslash before the @', (port) => `http://example.com\\@localhost.example:${port}/`],
];

for (const [what, toUrl] of UNWANTED) {
  test.serial(`an address with ${what} reaches nothing`, async (t) => {
    const listener = await startListener();
    const names = answerNames({ 'localhost.example': () => ['127.0.0.1'] });
    const client = strangers.client({ resolve: names.resolve });
    const before = dials.all().length;
    const { statusCode, error } = await client.post(toUrl(listener.port), message());
    t.is(statusCode, null);
    t.true(error === 'policy' || error === 'dns', String(error));
    t.deepEqual(dials.all().slice(before), []);
    t.is(listener.hits(), 0);
  });
}

test.serial("no bad port of the fetch standard is dialled, nor our engines' ports", async (t) => {
  // The list as undici has it for fetch, and not as we have it.
  const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js');
  t.true(badPorts.length > 80);
  const client = strangers.client();
  const before = dials.all().length;
  for (const port of [...badPorts, '5432', '6379', '7233']) {
    t.like(await client.post(`http://127.0.0.1:${port}/`, message()), POLICY, port);
  }
  t.deepEqual(dials.all().slice(before), []);
});

test.serial(
  'the vetted address is the one dialled: between two answers there is no second lookup',
  async (t) => {
    const listener = await startListener();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const names = answerNames({ 'rebind.example': () => answers.shift()! });
    const client = strangers.client({ resolve: names.resolve });
    const before = dials.all().length;
    const url = `http://rebind.example:${listener.port}/`;
    t.like(await client.post(url, message()), { statusCode: 200, ip: '127.0.0.1' });
    t.is(names.asked.length, 1);
    t.like(await client.post(url, message()), POLICY, 'and between attempts it is judged anew');
    t.is(names.asked.length, 2);
    t.deepEqual(dials.all().slice(before), [`127.0.0.1:${listener.port}`]);
  },
);

test.serial('a mixed answer is refused also where most of it is allowed', async (t) => {
  const listener = await startListener();
  const names = answerNames({ 'mixed.example': () => ['127.0.0.1', '127.0.0.2', '192.168.0.1'] });
  const client = strangers.client({ resolve: names.resolve });
  const before = dials.all().length;
  t.like(await client.post(`http://mixed.example:${listener.port}/`, message()), POLICY);
  t.deepEqual(dials.all().slice(before), []);
});

test.serial('the answer of a network with DNS64 is dialled as it is', async (t) => {
  const names = answerNames({ 'dns64.example': () => ['127.0.0.1', '64:ff9b::5db8:d822'] });
  const client = strangers.client({ resolve: names.resolve });
  const listener = await startListener();
  const url = `http://dns64.example:${listener.port}/`;
  t.like(await client.post(url, message()), { statusCode: 200, ip: '127.0.0.1' });
  const inside = answerNames({ 'dns64.example': () => ['127.0.0.1', '64:ff9b::10.0.0.1'] });
  const careful = strangers.client({ resolve: inside.resolve });
  t.like(await careful.post(url, message()), POLICY, 'what it embeds is judged');
});

test.serial('a name without an address, or with one that is none, is not dialled', async (t) => {
  const names = answerNames({ 'empty.example': () => [], 'odd.example': () => ['localhost'] });
  const client = strangers.client({ resolve: names.resolve });
  const before = dials.all().length;
  t.like(await client.post('http://empty.example/', message()), { error: 'dns', ip: null });
  t.like(await client.post('http://odd.example/', message()), POLICY);
  t.deepEqual(dials.all().slice(before), []);
});

for (const status of [301, 302, 303, 307, 308]) {
  test.serial(`the Location of a ${status} is never dialled`, async (t) => {
    const target = await startListener();
    const { url, port } = await strangers.serve((socket) => {
      const head = `HTTP/1.1 ${status} Elsewhere\r\nlocation: ${target.url}\r\n`;
      socket.end(`${head}connection: close\r\ncontent-length: 0\r\n\r\n`);
    });
    const before = dials.all().length;
    t.like(await strangers.client().post(url, message()), { statusCode: status, error: null });
    t.deepEqual(dials.all().slice(before), [`127.0.0.1:${port}`]);
    t.is(target.hits(), 0);
  });
}

test.serial('no proxy of the environment is asked', async (t) => {
  const proxy = await startListener();
  const listener = await startListener();
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) process.env[name] = proxy.url;
  t.teardown(() => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) delete process.env[name];
  });
  t.like(await strangers.client().post(listener.url, message()), { statusCode: 200 });
  t.is(proxy.hits(), 0);
});
