import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from '../start/process.ts';

/** Microseconds for each request or delivery; NaN where the system has no /proc. */
export type Cpu = { servers: number; postgres: number };

type Times = { parent: number; ownMs: number; endedChildrenMs: number };

// The kernel's unit in these files, whatever its real tick is.
const TICK_MS = 10;

/** Returns what is spent from now on, once it is told for how many requests or deliveries. */
export function watchCpu(
  { postmasterPid }: { postmasterPid: number },
  servers: readonly Server[],
): (count: number) => Cpu {
  const read = () => ({
    servers: servers.reduce((sum, { pid }) => sum + readCpuMs(pid), 0),
    postgres: readCpuMs(postmasterPid),
  });
  const before = read();
  return (count) => {
    const after = read();
    const each = (of: keyof Cpu) => ((after[of] - before[of]) * 1_000) / count;
    return { servers: each('servers'), postgres: each('postgres') };
  };
}

export function describeCpu({ servers, postgres }: Cpu): string {
  return `CPU ${Math.round(servers)} us + PostgreSQL ${Math.round(postgres)} us each`;
}

/** CPU time so far of a process and its children, ended ones included. */
function readCpuMs(pid: number): number {
  const all = readTimes();
  const own = all.get(pid);
  if (!own) return Number.NaN;
  const children = [...all.values()].filter(({ parent }) => parent === pid);
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.ownMs + own.endedChildrenMs);
}

/** NaN where the system has no /proc. */
export function findParent(pid: number): number {
  return readTimes().get(pid)?.parent ?? Number.NaN;
}

function readTimes(): Map<number, Times> {
  const found = new Map<number, Times>();
  for (const name of listProcesses()) {
    const times = parseTimes(name);
    if (times) found.set(Number(name), times);
  }
  return found;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** proc(5): after the command's name come state and parent; times stand at 14 to 17. */
function parseTimes(pid: string): Times | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    const [ownMs, endedChildrenMs] = [
      (user + system) * TICK_MS,
      (endedUser + endedSystem) * TICK_MS,
    ];
    return { parent: Number(fields[1]), ownMs, endedChildrenMs };
  } catch {
    return null; // it has ended meanwhile
  }
}
