import { execa } from 'execa';
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
import { forgetProcess, recordProcess } from './orphans.ts';
import { waitUntil } from './wait.ts';
import { StartFailure } from './failure.ts';

export interface Account {
  uid: number;
  gid: number;
}

export interface ChildSpec {
  name: string;
  command: string;
  args: string[];
  /** What stands before the command to start it in another way. */
  prefix?: string[];
  env: Record<string, string>;
  cwd: string;
  account?: Account | undefined;
  /** One of our own processes: it has a channel, and stops before the engines that it uses. */
  isService?: boolean;
}

export interface Child {
  name: string;
  process: ChildProcess;
  /** Settles with the way in which it ended. */
  ended: Promise<string>;
  isRunning(): boolean;
  stop(): Promise<void>;
  /** At once, with all that it started. */
  kill(): void;
  lastLines(): string;
}

export type Children = ReturnType<typeof createChildren>;

const READY_MS = 60_000;
// The worker lets its activities end.
const GRACE_MS = 10_000;
const LOG_LIMIT_BYTES = 5_000_000;
const SHOWN_LINES = 15;

/** Starts programs in process groups of their own, so that Ctrl-C reaches the launcher alone, with their output in `logs`. */
export function createChildren(dataDir: string) {
  const services = new Set<Child>();
  const engines = new Set<Child>();
  const stop = (children: Set<Child>) => Promise.all([...children].map((child) => child.stop()));
  return {
    start(spec: ChildSpec): Child {
      const child = startChild(spec, dataDir);
      const running = spec.isService ? services : engines;
      running.add(child);
      void child.ended.then(() => running.delete(child));
      return child;
    },
    async stopAll(): Promise<void> {
      await stop(services);
      await stop(engines);
    },
    /** Last resort: ends all of them at once. */
    killAll(): void {
      for (const child of [...services, ...engines]) child.kill();
    },
  };
}

/** Waits until a child is ready; one that ends, takes too long or is no longer wanted is stopped. */
export async function untilReady(
  child: Child,
  { isReady, signal }: { isReady: () => boolean | Promise<boolean>; signal: AbortSignal },
): Promise<Child> {
  const check = () => {
    if (child.isRunning()) return isReady();
    throw new StartFailure(`The ${child.name} process ended while starting:\n${child.lastLines()}`);
  };
  try {
    const patience = { timeoutMs: READY_MS, everyMs: 20, signal };
    await waitUntil(check, `The start of the ${child.name} process`, patience);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function startChild(spec: ChildSpec, dataDir: string): Child {
  const logFile = join(dataDir, 'logs', `${spec.name}.log`);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const [file = '', ...args] = [...(spec.prefix ?? []), spec.command, ...spec.args];
  const subprocess = execa(file, args, {
    ...spec.account,
    env: spec.env,
    extendEnv: false,
    cwd: spec.cwd,
    stdio: ['ignore', log, log],
    buffer: false,
    reject: false,
    ipc: spec.isService === true,
    killDescendants: true,
    killSignal: 'SIGINT',
    forceKillAfterDelay: GRACE_MS,
  });
  closeSync(log);
  const { pid, nodeChildProcess } = subprocess;
  const commandLine = [spec.command, ...spec.args].join(' ');
  if (pid !== undefined) recordProcess(dataDir, { name: spec.name, pid, commandLine });
  let isRunning = true;
  const ended = subprocess.then(({ signal, exitCode, originalMessage }) => {
    isRunning = false;
    forgetProcess(dataDir, spec.name);
    return signal ?? (exitCode === undefined ? `${originalMessage}` : `exit code ${exitCode}`);
  });
  return {
    name: spec.name,
    process: nodeChildProcess,
    ended,
    isRunning: () => isRunning,
    kill: () => void subprocess.kill('SIGKILL'),
    async stop() {
      if (isRunning) subprocess.kill();
      await ended;
    },
    lastLines() {
      const text = readFileSync(logFile).subarray(logStart).toString('utf8');
      return text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
    },
  };
}

/** A descriptor, in the form in which Execa's types know one. */
function openLog(file: string): 3 {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600) as 3;
}
