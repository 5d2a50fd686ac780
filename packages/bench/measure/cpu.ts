import { readdirSync, readFileSync } from 'node:fs';

type Times = { parent: number; ownMs: number; endedChildrenMs: number };

// The kernel's unit in these files, whatever its real tick is.
const TICK_MS = 10;

/** CPU time so far of a process and its children, ended ones included; null where the system has no /proc. */
export function readCpuMs(pid: number): number | null {
  const all = readTimes();
  const own = all.get(pid);
  if (!own) return null;
  const children = [...all.values()].filter(({ parent }) => parent === pid);
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.ownMs + own.endedChildrenMs);
}

/** Returns null where the system has no /proc. */
export function findParent(pid: number): number | null {
  return readTimes().get(pid)?.parent ?? null;
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
