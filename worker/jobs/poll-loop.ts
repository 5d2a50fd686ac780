import { createBell } from '../../domain/outbox/bell.ts';
import type { Logger } from '../../platform/log.ts';

export type PollLoop = { wake(): void; stop(): Promise<void> };

type Parts = {
  /** True when more may be left: the loop then continues at once. */
  work: () => Promise<boolean>;
  pollMs: number;
  logger: Logger;
  /** The log line of the first of several faults; the work is tried again after the pause. */
  trouble: string;
};

/** Repeats its work, with a pause when nothing is left; ends after the work under way. */
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
