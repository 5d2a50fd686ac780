import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../scripts/compile-cache.ts';
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
}

const ROOT = dirname(import.meta.dirname);
const READY_MS = 60_000;

/** Starts one of our own processes and waits until it says that it is ready. */
export async function startService(options: ServiceOptions): Promise<Child> {
  const child = options.children.start(specify(options));
  try {
    await waitForReady(child, options.signal);
  } catch (fault) {
    await child.stop();
    throw fault;
  }
  return child;
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
