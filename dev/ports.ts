import getPort, { portNumbers } from 'get-port';
import { StartFailure } from './process/failure.ts';

// Below every system's range for outgoing connections, which would take a free port again at any moment.
const LOWEST_FREE = 15_000;
const HIGHEST_FREE = 31_000;
// Programs that start at the same time look at different ports: one that is free stays so until it is used.
const PORTS_PER_PROCESS = 20;
const firstFree = LOWEST_FREE + ((process.pid * PORTS_PER_PROCESS) % 15_000);
const ports = portNumbers(firstFree, HIGHEST_FREE)[Symbol.iterator]();
/** Each port is looked at once: a second look would take it for a moment from the first finder. */
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
    } else if ((await getPort({ port })) !== port) {
      const reason = port < 1024 ? 'taken or kept for root' : 'taken by another program';
      problems.push(`Port ${port} (${name}) is ${reason}; ${wayOut}`);
    }
  }
  if (problems.length > 0) throw new StartFailure(problems.join('\n'));
  for (const name of names.filter((each) => wanted[each] === 0)) {
    const exclude = Object.values<number>(resolved);
    resolved[name] = await getPort({ port: untriedPorts, exclude });
  }
  return resolved;
}
