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

/** Waits until a promise settles, but not for ever. */
export async function settleWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  await Promise.race([promise.catch(() => undefined), delay(ms, undefined, { ref: false })]);
}
