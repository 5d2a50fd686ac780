import { setTimeout as delay } from 'node:timers/promises';
import { StartFailure } from './failure.ts';

export interface Patience {
  timeoutMs: number;
  everyMs?: number;
  signal?: AbortSignal;
}

/** Asks again and again until the answer is yes; what `check` throws ends the wait. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  what: string,
  { timeoutMs, everyMs = 50, signal }: Patience,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline) {
      throw new StartFailure(`${what} took longer than ${timeoutMs / 1000} s`);
    }
    await delay(everyMs, undefined, { ...(signal && { signal }) });
  }
}

/** Whether something comes to its end in time. */
export async function endsWithin(hasEnded: () => boolean, timeoutMs: number): Promise<boolean> {
  return waitUntil(hasEnded, 'The end', { timeoutMs }).then(
    () => true,
    () => false,
  );
}

/** Whether a promise settles in time. */
export async function isSettledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(ms, false, { signal: patience.signal }).catch(() => false);
  const settled = promise.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([settled, late]);
  patience.abort();
  return result;
}
