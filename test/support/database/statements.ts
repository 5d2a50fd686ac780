import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** PostgreSQL's messages are a letter, their length, and what they say; only the first has no letter. */
function readMessages(onMessage: (letter: string, body: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let hasStarted = false;
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = hasStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (hasStarted) onMessage(String.fromCharCode(rest[0]!), rest.subarray(5, length));
      hasStarted = true;
      rest = rest.subarray(length);
    }
  };
}

/** Text up to the next NUL, for each in turn. */
const texts = (body: Buffer) => body.toString('latin1').split('\0');

/** Stands before the database and notes the text of each statement that is run through it. */
export async function startListener(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let ran: string[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const parsed = new Map<string, string>();
    let bound = '';
    const read = readMessages((letter, body) => {
      const [first = '', second = ''] = texts(body);
      if (letter === 'P') parsed.set(first, second);
      if (letter === 'B') bound = second;
      if (letter === 'E') ran.push(parsed.get(bound) ?? '');
      if (letter === 'Q') ran.push(first);
    });
    client.on('data', read);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    /** What the work gives, and the statements that it led to. */
    async hear<Result>(work: () => Promise<Result>) {
      ran = [];
      return { result: await work(), statements: ran };
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
