import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 200;

/** What was killed under it is tried again: work that was done already has to bear it. */
export async function untilDone<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await work();
    } catch {
      await pause(AGAIN_MS);
    }
  }
}
