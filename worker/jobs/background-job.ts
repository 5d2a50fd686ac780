import { setTimeout as pause } from 'node:timers/promises';
import { createNotifier } from './notifier.ts';
import type { Logger } from '../../platform/log.ts';

export type BackgroundJob = {
  /** Ends the current wait. */
  wake(): void;
  /** Ends the job after the work under way. */
  stop(): Promise<void>;
};

type Options = {
  /** Returns how long to wait before the next time, in milliseconds: 0 when more may be left. */
  work: () => Promise<number>;
  logger: Logger;
  /** The log line of the first of several failures in a row. */
  failure: string;
};

/** Pauses after the first, second and each further failure in a row; nothing but a stop ends them. */
const FAILURE_PAUSES_MS = [1_000, 2_000, 5_000];

/** Repeats its work until it is stopped. */
export function startBackgroundJob({ work, logger, failure }: Options): BackgroundJob {
  const notifier = createNotifier();
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const waitMs = await work();
        if (failures > 0) logger.info({ after: failure }, 'background job recovered');
        failures = 0;
        if (waitMs > 0) await notifier.wait(waitMs);
      } catch (error) {
        if (failures === 0) logger.warn({ err: error }, failure);
        const pauseMs = FAILURE_PAUSES_MS[Math.min(failures, FAILURE_PAUSES_MS.length - 1)];
        failures += 1;
        await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const ended = run();
  return {
    wake: () => notifier.notify(),
    async stop() {
      stopping.abort();
      notifier.notify();
      await ended;
    },
  };
}
