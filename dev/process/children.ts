import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { signalGroup } from './command.ts';
import type { Account } from './command.ts';
import { forgetProcess, recordProcess } from './orphans.ts';
import type { StopStep } from './orphans.ts';
import { isSettledWithin } from './wait.ts';

export interface ChildSpec {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** How it is asked to stop, ever less politely. */
  stop: StopStep[];
  account?: Account | undefined;
  hasChannel?: boolean;
}

export interface Child {
  name: string;
  process: ChildProcess;
  /** Settles with the way in which it ended. */
  ended: Promise<string>;
  isRunning(): boolean;
  stop(): Promise<void>;
  lastLines(): string;
}

export interface Children {
  start(spec: ChildSpec): Child;
  /** Last resort: ends all of them at once. */
  killAll(): void;
}

const LOG_LIMIT_BYTES = 5_000_000;
const SHOWN_LINES = 15;

/** Starts programs in process groups of their own, so that Ctrl-C reaches the launcher alone, with their output in `logs`. */
export function createChildren(dataDir: string): Children {
  const running = new Set<Child>();
  return {
    start(spec) {
      const child = startChild(spec, dataDir);
      running.add(child);
      void child.ended.then(() => running.delete(child));
      return child;
    },
    killAll() {
      for (const { process } of running) if (process.pid) signalGroup(process.pid, 'SIGKILL');
    },
  };
}

function startChild(spec: ChildSpec, dataDir: string): Child {
  const logFile = join(dataDir, 'logs', `${spec.name}.log`);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const child = spawn(spec.command, spec.args, {
    env: spec.env,
    cwd: spec.cwd,
    detached: true,
    stdio: ['ignore', log, log, ...(spec.hasChannel ? (['ipc'] as const) : [])],
    ...spec.account,
  });
  closeSync(log);
  if (child.pid) recordProcess(dataDir, { name: spec.name, pid: child.pid, stop: spec.stop });
  let isRunning = true;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (fault) => resolve(fault.message));
  }).then((how) => {
    isRunning = false;
    forgetProcess(dataDir, spec.name);
    return how;
  });
  return {
    name: spec.name,
    process: child,
    ended,
    isRunning: () => isRunning,
    lastLines: () => readLastLines(logFile, logStart),
    async stop() {
      for (const { signal, waitMs } of spec.stop) {
        if (!isRunning) return;
        if (child.pid) signalGroup(child.pid, signal);
        if (await isSettledWithin(ended, waitMs)) return;
      }
    },
  };
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
}

function readLastLines(file: string, start: number): string {
  try {
    const text = readFileSync(file).subarray(start).toString('utf8');
    return text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  } catch {
    return '';
  }
}
