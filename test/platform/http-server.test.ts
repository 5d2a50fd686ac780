import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import test from 'ava';
import { listen } from '../../platform/http-server.ts';
import { eventually } from '../support/eventually.ts';

test('all hosts share the port that the first one got', async (t) => {
  const listener = await listen((_, response) => response.end('here'), {
    hosts: ['127.0.0.1', '::1'],
    port: 0,
  });
  for (const server of listener.servers) {
    const { family, address, port } = server.address() as AddressInfo;
    t.is(port, listener.port);
    const host = family === 'IPv6' ? `[${address}]` : address;
    t.is(await (await fetch(`http://${host}:${port}`)).text(), 'here');
  }
  await listener.close();
});

test('an IPv6 address that the machine does not have is left out', async (t) => {
  // 2001:db8::/32 is for documentation: no machine has it.
  const hosts = ['127.0.0.1', '2001:db8::1'];
  const listener = await listen((_, response) => response.end(), { hosts, port: 0 });
  t.is(listener.servers.length, 1);
  await listener.close();
  await t.throwsAsync(listen(() => undefined, { hosts: ['2001:db8::1'], port: 0 }));
  await t.throwsAsync(listen(() => undefined, { hosts: [], port: 0 }));
});

test('a taken port is a fault', async (t) => {
  const hosts = ['127.0.0.1'];
  const first = await listen(() => undefined, { hosts, port: 0 });
  const second = listen(() => undefined, { hosts, port: first.port });
  await t.throwsAsync(second, { code: 'EADDRINUSE' });
  await first.close();
});

test('closing waits for the request in flight and drops idle connections', async (t) => {
  const { asked, mayAnswer, listener } = await listenSlowly();
  const idle = connect(listener.port, '127.0.0.1');
  await once(idle, 'connect');
  const idleClosed = once(idle, 'close');
  const answer = fetch(`http://127.0.0.1:${listener.port}`);
  await asked.promise;
  const closed = listener.close();
  await t.throwsAsync(fetch(`http://127.0.0.1:${listener.port}/late`));
  mayAnswer.resolve();
  t.is(await (await answer).text(), 'finished');
  await Promise.all([closed, idleClosed]);
});

test('closing waits for a request that expects what nobody knows', async (t) => {
  const { asked, mayAnswer, listener } = await listenSlowly();
  const headers = { expect: 'banana' };
  const sent = request({ host: '127.0.0.1', port: listener.port, headers }).end();
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await asked.promise;
  const closed = listener.close();
  mayAnswer.resolve();
  const [answer] = await answered;
  t.is(Buffer.concat(await answer.toArray()).toString(), 'finished');
  await closed;
});

/** Answers once it may. */
async function listenSlowly(options: { timeoutMs?: number } = {}) {
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const listener = await listen(
    async (_, response) => {
      asked.resolve();
      await mayAnswer.promise;
      response.end('finished');
    },
    { hosts: ['127.0.0.1'], port: 0, ...options },
  );
  return { asked, mayAnswer, listener };
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

test('a kept connection has one more request answered during a stop, and is told that it closes', async (t) => {
  const listener = await listen((_, response) => response.end('served'), {
    hosts: ['127.0.0.1'],
    port: 0,
    graceMs: 1_000,
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(GET);
  const [before] = await once(socket, 'data');
  t.regex(String(before), /^HTTP\/1\.1 200 [^]*\r\nConnection: keep-alive\r\n/);
  const closed = listener.close();
  socket.write(GET);
  const after = Buffer.concat(await socket.toArray()).toString();
  t.regex(after, /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*served/i);
  await closed;
});

test('and one more that comes while a stop waits for other connections', async (t) => {
  const held: ServerResponse[] = [];
  const listener = await listen((_, response) => void held.push(response), {
    hosts: ['127.0.0.1'],
    port: 0,
  });
  const kept = connect(listener.port, '127.0.0.1');
  kept.write(GET);
  const [first] = await responsesOf(held, 1);
  first!.end('served');
  await once(kept, 'data');
  const slow = connect(listener.port, '127.0.0.1');
  slow.write(GET);
  const [, waitedFor] = await responsesOf(held, 2);
  const closed = listener.close();
  kept.write(GET);
  const [, , last] = await responsesOf(held, 3);
  waitedFor!.end();
  await once(slow.resume(), 'end');
  last!.end('served too');
  const text = Buffer.concat(await kept.toArray()).toString();
  t.regex(text, /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*served too/i);
  await closed;
});

const responsesOf = (held: ServerResponse[], count: number) =>
  eventually(
    () => held,
    ({ length }) => length >= count,
  );

test('a stop answers every request that was sent ahead', async (t) => {
  const { asked, mayAnswer, listener } = await listenSlowly();
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(GET.repeat(60));
  await asked.promise;
  const closed = listener.close();
  mayAnswer.resolve();
  const text = Buffer.concat(await socket.toArray()).toString();
  t.is(text.match(/finished/g)?.length, 60);
  t.is(text.match(/connection: close/gi)?.length, 1);
  await closed;
});

test('a stop lets a response that is written end', async (t) => {
  const ended = Promise.withResolvers<void>();
  const listener = await listen(
    (_, response) => {
      response.end(Buffer.alloc(20_000_000));
      ended.resolve();
    },
    { hosts: ['127.0.0.1'], port: 0 },
  );
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(GET);
  await ended.promise;
  const closed = listener.close();
  const bytes = Buffer.concat(await socket.toArray());
  t.true(bytes.length > 20_000_000);
  await closed;
});

test('what is not finished at the end of a stop gets 503', async (t) => {
  const { asked, listener } = await listenSlowly({ timeoutMs: 50 });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nslow');
  await asked.promise;
  const closed = listener.close();
  const text = Buffer.concat(await socket.toArray()).toString();
  t.regex(text, /^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
  await closed;
});

test('of requests that are sent ahead a hundred are answered, then the connection closes', async (t) => {
  const { asked, mayAnswer, listener } = await listenSlowly();
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(GET.repeat(150));
  await asked.promise;
  mayAnswer.resolve();
  const text = Buffer.concat(await socket.toArray()).toString();
  t.is(text.match(/finished/g)?.length, 101);
  t.regex(text.slice(text.lastIndexOf('HTTP/1.1')), /connection: close/i);
  await listener.close();
});
