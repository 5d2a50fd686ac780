import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { StartFailure } from './process/failure.ts';

const LOOPBACKS = ['127.0.0.1', '::1'];
// Below every system's range for outgoing connections, which would take a free port again at any moment.
const LOWEST_FREE = 15_000;
const FREE_PORTS = 15_000;
// Programs that start at the same time look at different ports: one that is free stays so until it is used.
const PORTS_PER_PROCESS = 20;

let nextFree = (process.pid * PORTS_PER_PROCESS) % FREE_PORTS;

type Verdict = 'free' | 'taken' | 'forbidden' | 'no such address';

/** Turns wanted ports (0 = any free one) into ports that nobody listens on, or names all that are taken. */
export async function resolvePorts<Name extends string>(
  wanted: Record<Name, number>,
): Promise<Record<Name, number>> {
  const names = Object.keys(wanted) as Name[];
  const fixed = names.filter((name) => wanted[name] !== 0);
  const problems = [...findDoubles(fixed, wanted)];
  const verdicts = await Promise.all(fixed.map((name) => judgePort(wanted[name])));
  for (const [index, name] of fixed.entries()) {
    const verdict = verdicts[index];
    if (verdict !== 'free')
      problems.push(`Port ${wanted[name]} (${name}) ${explain(verdict)}; ${wayOut(name)}`);
  }
  if (problems.length > 0) throw new StartFailure(problems.join('\n'));
  const used = new Set(fixed.map((name) => wanted[name]));
  const resolved = { ...wanted };
  for (const name of names.filter((name) => wanted[name] === 0)) {
    resolved[name] = await findFreePort(used);
    used.add(resolved[name]);
  }
  return resolved;
}

function findDoubles<Name extends string>(names: Name[], wanted: Record<Name, number>): string[] {
  return names.flatMap((name, index) => {
    const first = names.findIndex((other) => wanted[other] === wanted[name]);
    return first < index
      ? [`Port ${wanted[name]} is wanted twice, by ${names[first]} and ${name}; ${wayOut(name)}`]
      : [];
  });
}

function explain(verdict: Verdict | undefined): string {
  return verdict === 'forbidden'
    ? 'may not be used by this account'
    : 'is taken by another program';
}

function wayOut(name: string): string {
  return `set ${name} to another number, or 0 for any free one.`;
}

async function findFreePort(used: Set<number>): Promise<number> {
  for (let attempt = 0; attempt < FREE_PORTS; attempt += 1) {
    const port = LOWEST_FREE + nextFree;
    nextFree = (nextFree + 1) % FREE_PORTS;
    if (!used.has(port) && (await judgePort(port)) === 'free') return port;
  }
  throw new StartFailure(`No free port from ${LOWEST_FREE} to ${LOWEST_FREE + FREE_PORTS - 1}.`);
}

async function judgePort(port: number): Promise<Verdict> {
  for (const host of LOOPBACKS) {
    // Listening on a loopback address can succeed beside a program that listens on all of them.
    if (await canConnect(host, port)) return 'taken';
    const verdict = await tryListening(host, port);
    if (verdict === 'taken' || verdict === 'forbidden') return verdict;
  }
  return 'free';
}

async function tryListening(host: string, port: number): Promise<Verdict> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return 'free';
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return 'taken';
    return code === 'EACCES' ? 'forbidden' : 'no such address';
  } finally {
    server.close();
  }
}

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
