import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Child, Children, ChildSpec } from './process/children.ts';
import { StartFailure } from './process/failure.ts';

export interface ServiceOptions {
  name: string;
  /** Its main file, from the root of the project. */
  main: string;
  environment: Record<string, string>;
  graceMs: number;
  children: Children;
  signal: AbortSignal;
  /** It has died more often than a restart could mend. */
  onLost: (fault: StartFailure) => void;
  announce: (line: string) => void;
}

export interface Service {
  stop(): Promise<void>;
}

const ROOT = dirname(import.meta.dirname);
const READY_MS = 60_000;
const QUICK_DEATH_MS = 60_000;
const QUICK_DEATHS = 3;

/** Runs one of our own processes, waits until it says that it is ready, and restarts it when it dies. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { name, children, signal, announce } = options;
  let child = children.start(specify(options));
  let isWanted = true;
  const keepRunning = async () => {
    for (let quickDeaths = 0; ;) {
      const startedAt = performance.now();
      const how = await child.ended;
      if (!isWanted) return;
      const report = `The ${name} process died (${how}). Its last lines:\n${child.lastLines()}`;
      quickDeaths = performance.now() - startedAt < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
      if (quickDeaths > QUICK_DEATHS) {
        options.onLost(new StartFailure(report));
        return;
      }
      announce(`${report}\nStarting it again.`);
      child = children.start(specify(options));
      await waitForReady(child, signal).then(
        () => announce(`The ${name} is ready again`),
        () => undefined, // it died: the next round tells
      );
    }
  };
  const stop = async () => {
    isWanted = false;
    await child.stop();
  };
  try {
    await waitForReady(child, signal);
  } catch (fault) {
    await stop();
    throw fault;
  }
  void keepRunning();
  return { stop };
}

function specify({ name, main, environment, graceMs }: ServiceOptions): ChildSpec {
  return {
    name,
    command: process.execPath,
    args: [fileURLToPath(new URL(`../${main}`, import.meta.url))],
    env: { ...environment, ...COMPILE_CACHE },
    cwd: ROOT,
    hasChannel: true,
    stop: [
      { signal: 'SIGTERM', waitMs: graceMs },
      { signal: 'SIGKILL', waitMs: 500 },
    ],
  };
}

async function waitForReady(child: Child, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(READY_MS);
  const limit = AbortSignal.any([signal, late]);
  const ready = once(child.process, 'message', { signal: limit });
  const how = await Promise.race([ready, child.ended]).catch((fault: unknown) => {
    if (signal.aborted) throw fault;
    return `not ready within ${READY_MS / 1000} s`;
  });
  if (Array.isArray(how)) return;
  ready.catch(() => undefined);
  throw new StartFailure(`The ${child.name} process did not start (${how}):\n${child.lastLines()}`);
}
