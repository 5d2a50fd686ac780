import { setTimeout as delay } from 'node:timers/promises';
import { execa, ExecaError } from 'execa';

/** A fault that the reader of its message can mend: shown without a stack. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}

/** Runs a program to its end and gives its lines as `all`; an abort or a time-out ends it with all that it started. */
export const run = execa({
  all: true,
  lines: true,
  stdin: 'ignore',
  extendEnv: false,
  killDescendants: true,
  killSignal: 'SIGINT',
  forceKillAfterDelay: 3_000,
});

/** Why it failed, in one line: of a program the last line that it printed. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof ExecaError)) return (error as Error).message;
  const [program] = error.command.split(' ');
  if (error.code === 'ENOENT') return `${program} is not on PATH`;
  const lines = error.all as string[] | undefined;
  return lines?.findLast((line) => line.trim() !== '') ?? error.shortMessage;
}

/** Repeats the check until it is true; what `check` throws ends the wait. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  { what, timeoutMs, signal }: { what: string; timeoutMs: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline) {
      throw new StartFailure(`${what} took longer than ${timeoutMs / 1000} s`);
    }
    await delay(20, undefined, signal && { signal });
  }
}
