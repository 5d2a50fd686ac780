import getPort, { portNumbers } from 'get-port';
import { StartFailure } from './process/run.ts';

// Below every system's range for outgoing connections, which would take a free port again at any moment.
// Processes that start at the same time begin at different ports.
const ports = portNumbers(15_000 + ((process.pid * 20) % 15_000), 31_000)[Symbol.iterator]();
/** Each port is tried once: a second try would occupy it while the program that it was found for starts. */
const untriedPorts = { [Symbol.iterator]: () => ({ next: () => ports.next() }) };

/** Turns wanted ports (0 = any free one) into ports that nobody listens on, or names all that are taken. */
export async function resolvePorts<Name extends string>(
  wanted: Record<Name, number>,
): Promise<Record<Name, number>> {
  const resolved = { ...wanted };
  const names = Object.keys(wanted) as Name[];
  const problems: string[] = [];
  for (const name of names.filter((each) => wanted[each] !== 0)) {
    const port = wanted[name];
    const first = names.find((each) => wanted[each] === port)!;
    const wayOut = `set ${name} to another number, or 0 for any free one.`;
    if (first !== name) {
      problems.push(`Port ${port} is wanted twice, by ${first} and ${name}; ${wayOut}`);
    } else if ((await getPort({ port, reserve: true })) !== port) {
      const reason = port < 1024 ? 'taken or kept for root' : 'taken by another program';
      problems.push(`Port ${port} (${name}) is ${reason}; ${wayOut}`);
    }
  }
  if (problems.length > 0) throw new StartFailure(problems.join('\n'));
  for (const name of names.filter((each) => wanted[each] === 0)) {
    resolved[name] = await getPort({ port: untriedPorts, reserve: true });
  }
  return resolved;
}
