import { execa } from 'execa';
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
import { StartFailure, waitUntil } from './run.ts';
import { forgetProcess, recordProcess } from './running.ts';

export interface ChildSpec {
  name: string;
  command: string;
  args: string[];
  /** A program with its arguments that becomes the command. */
  prefix?: string[];
  env: Record<string, string>;
  cwd: string;
  /** One of our own processes: it has a channel, and stops before the engines that it uses. */
  isService?: boolean;
}

export type Child = ReturnType<typeof startChild>;
export type Children = ReturnType<typeof createChildren>;

const READY_MS = 60_000;
// The worker lets its activities end.
const GRACE_MS = 10_000;
const LOG_LIMIT_BYTES = 5_000_000;
const SHOWN_LINES = 15;

/** Starts programs in process groups of their own, so that Ctrl-C reaches the launcher alone, with their output in `logs`. */
export function createChildren(dataDir: string) {
  const running = new Set<Child>();
  return {
    start(spec: ChildSpec): Child {
      const child = startChild(spec, dataDir);
      running.add(child);
      void child.ended.then(() => running.delete(child));
      return child;
    },
    async stopAll(): Promise<void> {
      for (const isService of [true, false]) {
        const each = [...running].filter((child) => child.isService === isService);
        await Promise.all(each.map((child) => child.stop()));
      }
    },
    /** Last resort: ends all of them at once. */
    killAll(): void {
      for (const child of running) child.kill();
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
    const what = `The start of the ${child.name} process`;
    await waitUntil(check, { what, timeoutMs: READY_MS, signal });
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function startChild(spec: ChildSpec, dataDir: string) {
  const { name, isService = false } = spec;
  const logFile = join(dataDir, 'logs', `${name}.log`);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const [file = '', ...args] = [...(spec.prefix ?? []), spec.command, ...spec.args];
  const subprocess = execa(file, args, {
    env: spec.env,
    extendEnv: false,
    cwd: spec.cwd,
    stdio: ['ignore', log, log],
    buffer: false,
    reject: false,
    ipc: isService,
    killDescendants: true,
    killSignal: 'SIGINT',
    forceKillAfterDelay: GRACE_MS,
  });
  closeSync(log);
  const { pid, nodeChildProcess } = subprocess;
  const commandLine = [spec.command, ...spec.args].join(' ');
  if (pid !== undefined) recordProcess(dataDir, { name, pid, commandLine });
  let isRunning = true;
  const ended = subprocess.then(({ signal, exitCode, originalMessage }) => {
    isRunning = false;
    forgetProcess(dataDir, name);
    return signal ?? (exitCode === undefined ? `${originalMessage}` : `exit code ${exitCode}`);
  });
  return {
    name,
    isService,
    process: nodeChildProcess,
    /** Settles with the way in which it ended. */
    ended,
    isRunning: () => isRunning,
    /** Kills the process at once, with all that it started. */
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
