import { createBell } from '../domain/platform/outbox/bell.ts';
import type { Logger } from '../domain/platform/process/log.ts';

export type PollLoop = { wake(): void; stop(): Promise<void> };

type Parts = {
  /** True where more may be left: then it goes on at once. */
  work: () => Promise<boolean>;
  pollMs: number;
  logger: Logger;
  /** What is said of a fault; the work is tried again after the pause. */
  trouble: string;
};

/** Does its work again and again, with a pause where nothing is left; ends after the work under way. */
export function startPollLoop({ work, pollMs, logger, trouble }: Parts): PollLoop {
  const bell = createBell();
  const stopping = new AbortController();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await work()) continue;
      } catch (fault) {
        logger.warn({ err: fault }, trouble);
      }
      await bell.wait(pollMs);
    }
  }

  const loop = run();
  return {
    wake: () => bell.ring(),
    async stop() {
      stopping.abort();
      bell.ring();
      await loop;
    },
  };
}
