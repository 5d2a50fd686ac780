import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isSettledWithin } from './wait.ts';

export interface Account {
  uid: number;
  gid: number;
}

export interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  account?: Account | undefined;
  signal: AbortSignal;
  timeoutMs?: number;
  onLine?: (line: string) => void;
}

const KEPT_LINES = 12;
const INTERRUPT_MS = 3_000;

/** Runs a program to its end and returns its lines; an abort or a time-out ends it with all that it started. */
export async function runCommand(task: Command): Promise<string[]> {
  task.signal.throwIfAborted();
  const running = spawn(task.command, task.args, {
    env: task.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(task.cwd && { cwd: task.cwd }),
    ...task.account,
  });
  const lines: string[] = [];
  const collect = (line: string) => {
    lines.push(line);
    task.onLine?.(line);
  };
  for (const stream of [running.stdout, running.stderr]) {
    createInterface({ input: stream }).on('line', collect);
  }
  const closed = once(running, 'close');
  const limits = [task.signal, ...(task.timeoutMs ? [AbortSignal.timeout(task.timeoutMs)] : [])];
  const limit = AbortSignal.any(limits);
  const interrupt = () => void endGroup(running.pid, closed);
  limit.addEventListener('abort', interrupt);
  try {
    const [code, signalName] = await closed;
    task.signal.throwIfAborted();
    if (limit.aborted) throw new Error(`no end within ${(task.timeoutMs ?? 0) / 1000} s`);
    if (code === 0) return lines;
    const how = signalName ? `ended by ${signalName}` : `exit code ${code}`;
    throw new Error([how, ...lines.slice(-KEPT_LINES)].join('\n'));
  } finally {
    limit.removeEventListener('abort', interrupt);
  }
}

async function endGroup(pid: number | undefined, closed: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGINT');
  if (!(await isSettledWithin(closed, INTERRUPT_MS))) signalGroup(pid, 'SIGKILL');
}

/** Signals a process that leads its own group, and all in it; one that has ended is no fault. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended meanwhile
  }
}
