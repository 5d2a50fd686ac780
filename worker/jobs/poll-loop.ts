import { createBell } from '../../domain/outbox/bell.ts';
import type { Logger } from '../../platform/log.ts';

export type PollLoop = { wake(): void; stop(): Promise<void> };

type Parts = {
  /** True where more may be left: then it goes on at once. */
  work: () => Promise<boolean>;
  pollMs: number;
  logger: Logger;
  /** What is said of the first of many faults; the work is tried again after the pause. */
  trouble: string;
};

/** Does its work again and again, with a pause where nothing is left; ends after the work under way. */
export function startPollLoop({ work, pollMs, logger, trouble }: Parts): PollLoop {
  const bell = createBell();
  const stopping = new AbortController();

  let hasFailed = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const hasMore = await work();
        if (hasFailed) logger.info({ after: trouble }, 'it goes on');
        hasFailed = false;
        if (hasMore) continue;
      } catch (fault) {
        if (!hasFailed) logger.warn({ err: fault }, trouble);
        hasFailed = true;
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
