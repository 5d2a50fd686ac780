import { createServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import test from 'ava';
import { HTML, PAGE_LIMIT, request } from '../support/http/sites.ts';
import { answerNames, meetStrangers, message } from '../support/http/strangers.ts';
import { createAuthority } from '../support/http/tls.ts';

const NAME = 'hook.example';

const strangers = meetStrangers();
const { resolve } = answerNames({ [NAME]: () => ['127.0.0.1'] });
const known = createAuthority();
const unknown = createAuthority();
known?.trust();
test.after.always(async () => {
  await strangers.close();
  known?.remove();
  unknown?.remove();
});

const withAuthority = known === null ? test.skip : test;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  strangers.closeLater({ close: () => new Promise((done) => server.close(done)) });
  return `https://${NAME}:${(server.address() as AddressInfo).port}/`;
}

async function post(options: ServerOptions) {
  let hits = 0;
  const server = createServer(options, (_, response) => {
    hits += 1;
    response.writeHead(200, { connection: 'close' }).end('over TLS');
  });
  const url = await listen(server);
  const answer = await strangers.client({ resolve }).post(url, message());
  return { ...answer, hits };
}

withAuthority('a receiver behind https is met over TLS', async (t) => {
  const met = await post(known!.issue({ name: NAME }));
  t.like(met, { statusCode: 200, error: null, ip: '127.0.0.1', bodyStart: 'over TLS', hits: 1 });
});

withAuthority('a page behind https is read over TLS, after a redirect within it', async (t) => {
  const page = Buffer.alloc(PAGE_LIMIT, 'x');
  const server = createServer(known!.issue({ name: NAME }), ({ url }, response) => {
    if (url === '/') return response.writeHead(302, { location: '/page' }).end(page);
    return response.writeHead(200, HTML).end(page);
  });
  const url = await listen(server);
  const client = strangers.client({ resolve });
  t.like(await client.get(url, request()), { redirects: 1, body: page, isCut: false });
});

const REFUSED: [string, () => ServerOptions][] = [
  ['of another name', () => known!.issue({ name: 'other.example' })],
  ['that has expired', () => known!.issue({ name: NAME, isExpired: true })],
  ['of an authority that nobody knows', () => unknown!.issue({ name: NAME })],
];

for (const [what, options] of REFUSED) {
  withAuthority(`a certificate ${what} is "tls", and nothing is sent`, async (t) => {
    t.like(await post(options()), { statusCode: null, error: 'tls', bodyStart: null, hits: 0 });
  });
}

withAuthority('a server that speaks old versions only is "tls"', async (t) => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
  const met = await post({ ...known!.issue({ name: NAME }), ...old });
  t.like(met, { statusCode: null, error: 'tls', hits: 0 });
});

test('a server that answers the handshake with something else is "tls"', async (t) => {
  const url = await listen(
    createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('hello\n'),
    ),
  );
  t.like(await strangers.client({ resolve }).post(url, message()), { error: 'tls' });
});

test('a server that hangs up during the handshake is "reset"', async (t) => {
  const url = await listen(
    createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy())),
  );
  t.like(await strangers.client({ resolve }).post(url, message()), { error: 'reset' });
});
