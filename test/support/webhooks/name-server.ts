import { createSocket } from 'node:dgram';

type Question = { name: string; type: number; bytes: Buffer };

const A = 1;
const AAAA = 28;
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];
const TO_THIS_MACHINE = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 30, 0, 4, 127, 0, 0, 1]);
const BY_IPV6 = Buffer.concat([
  Buffer.from([0xc0, 12, 0, AAAA, 0, 1, 0, 0, 0, 30, 0, 16]),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
]);

/**
 * A name server: `ok*` is 127.0.0.1, `hang*` gets no response, `fail*` fails, and no other name
 * exists. `ok4-*` is 127.0.0.1 and `ok6-*` is ::1, without a response about the other family.
 */
export async function startNameServer() {
  const asked: string[] = [];
  const waiting = new Set<() => void>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, bytes } = questionOf(query);
    asked.push(name);
    for (const look of waiting) look();
    if (name.startsWith('hang') || name.startsWith(type === A ? 'ok6-' : 'ok4-')) return;
    const answers = answersTo({ name, type });
    const flags = [0x81, 0x80 + codeOf(name)];
    const counts = [0, 1, 0, answers.length, 0, 0, 0, 0];
    const head = Buffer.from([...query.subarray(0, 2), ...flags, ...counts]);
    socket.send(Buffer.concat([head, bytes, ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const timesAsked = (name: string) => asked.filter((other) => other === name).length;
  return {
    server: `127.0.0.1:${socket.address().port}`,
    timesAsked,
    untilAsked: (name: string, times: number) =>
      new Promise<void>((resolve) => {
        const look = () => void (timesAsked(name) >= times && resolve());
        waiting.add(look);
        look();
      }),
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

function answersTo({ name, type }: Pick<Question, 'name' | 'type'>): Buffer[] {
  if (name.startsWith('ok6-')) return [BY_IPV6];
  return name.startsWith('ok') && type === A ? [TO_THIS_MACHINE] : [];
}

function codeOf(name: string): number {
  if (name.startsWith('fail')) return SERVER_FAILURE;
  return name.startsWith('ok') ? NO_ERROR : NO_SUCH_NAME;
}

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.'),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(12, at + 5),
  };
}
