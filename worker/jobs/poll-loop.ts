import { createNotifier } from './notifier.ts';
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
  const notifier = createNotifier();
  const stopping = new AbortController();

  let hasFailed = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const hasMore = await work();
        if (hasFailed) logger.info({ after: trouble }, 'it goes on');
        hasFailed = false;
        if (hasMore) continue;
      } catch (error) {
        if (!hasFailed) logger.warn({ err: error }, trouble);
        hasFailed = true;
      }
      await notifier.wait(pollMs);
    }
  }

  const loop = run();
  return {
    wake: () => notifier.notify(),
    async stop() {
      stopping.abort();
      notifier.notify();
      await loop;
    },
  };
}
