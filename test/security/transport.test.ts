import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createMailer } from '../../clients/mail.ts';
import { openClient } from '../../worker/workers.ts';
import { watchTemporal } from '../../api/health/temporal-health.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase, rows } from '../../platform/database/database.ts';
import { createAuthority } from '../support/http/tls.ts';

async function listen(t: ExecutionContext, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A mail server that offers no STARTTLS, as behind somebody who strips it. */
function createPlainMailServer() {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail ESMTP\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        received.push(line);
        if (line.startsWith('EHLO')) socket.write('250 mail\r\n');
        else if (line.startsWith('DATA')) socket.write('354 go on\r\n');
        else if (/^(MAIL|RCPT|\.$)/.test(line)) socket.write('250 ok\r\n');
        else if (line.startsWith('STARTTLS')) socket.write('502 unknown\r\n');
      }
    });
  });
  return { server, received };
}

const MAIL = { id: 'm1', to: 'ada@example.com', subject: 'Reset', text: 'a link', html: 'a link' };
const from = 'Gatehouse <no-reply@gatehouse.example>';

test('a stripped STARTTLS gets no mail with its link off this machine', async (t) => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal);
  if (!own) return t.pass('this machine has no address but its loopback one');
  const { server, received } = createPlainMailServer();
  const port = await listen(t, server, '0.0.0.0');
  const mailer = createMailer({ url: `smtp://${own.address}:${port}`, from });
  await t.throwsAsync(mailer.send(MAIL), { message: /did not take a mail/ });
  mailer.close();
  t.false(received.some((line) => /^(MAIL|DATA)|link/.test(line)));
  for (const url of [`smtp://127.0.0.1:${port}`, `smtp://${own.address}:${port}?ignoreTLS=true`]) {
    const plain = createMailer({ url, from });
    t.true(await plain.send(MAIL), url);
    plain.close();
  }
});

test('a database address that asks for TLS is never spoken to without it', async (t) => {
  const SSL_REQUEST = 80_877_103;
  const first: number[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      first.push(chunk.readInt32BE(4));
      socket.end('N');
    });
  });
  const port = await listen(t, server);
  const url = `postgres://app:a-password@127.0.0.1:${port}/gatehouse?sslmode=verify-full`;
  const database = await openDatabase({ url, listenUrl: url, name: 'test', entities: ENTITIES });
  await t.throwsAsync(database.pool.query('select 1'));
  await t.throwsAsync(rows(database.em(), 'select 1'));
  await t.throwsAsync(database.transaction((em) => rows(em, 'select 1')));
  t.true(first.length >= 3);
  t.true(
    first.every((code) => code === SSL_REQUEST),
    String(first),
  );
  await database.close().catch(() => undefined);
});

test("Temporal is reached by TLS with the client's certificate, and only where the CA vouches for it", async (t) => {
  const authority = createAuthority();
  if (!authority) return t.pass('this machine has no openssl');
  t.teardown(() => authority.remove());
  const { key, cert } = authority.issue({ name: 'temporal.internal' });
  const own = authority.issue({ name: 'gatehouse' });
  const pair = { crt: Buffer.from(own.cert), key: Buffer.from(own.key) };
  const serverNameOverride = 'temporal.internal';
  const serverRootCACertificate = Buffer.from(authority.ca);
  const identity = { key, cert, ca: authority.ca, requestCert: true, rejectUnauthorized: true };
  const startServer = async () => {
    const sockets: TLSSocket[] = [];
    const server = createTlsServer({ ...identity, ALPNProtocols: ['h2'] }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.end();
    });
    server.on('tlsClientError', () => undefined);
    const address = `127.0.0.1:${await listen(t, server)}`;
    return { sockets, at: { address, namespace: 'default', apiKey: undefined } };
  };

  const { sockets, at } = await startServer();
  const trusted = { serverNameOverride, serverRootCACertificate, clientCertPair: pair };
  const { client, close } = openClient({ ...at, tls: trusted });
  await t.throwsAsync(client.workflow.getHandle('none').describe()); // it hangs up after the handshake
  await close();
  const watched = watchTemporal({ ...at, tls: trusted });
  t.false(await watched.isReachable());
  watched.close();
  t.true(sockets.length >= 2);
  for (const socket of sockets) t.true(socket.authorized);

  const refusing = await startServer();
  for (const tls of [
    { serverNameOverride, serverRootCACertificate },
    { serverNameOverride, clientCertPair: pair },
    { serverNameOverride: 'another.internal', serverRootCACertificate, clientCertPair: pair },
  ]) {
    const other = watchTemporal({ ...refusing.at, tls });
    t.false(await other.isReachable());
    other.close();
  }
  t.deepEqual(refusing.sockets, []);
});
