import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { Signals } from '../signals.ts';

type RetryWait<Report> = {
  signals: Signals;
  /** What an Update is judged by meanwhile. */
  now: { isAttempting: boolean };
  read(): Promise<Report>;
  /** Is null when nothing waits for a retry. */
  retry: { waitMs: number; summary: string; attempt(): Promise<Report> } | null;
};

/** Attempts the retry when it is due, or reads again after a signal; null when all is over. */
export async function attemptWhenDue<Report>(retrying: RetryWait<Report>) {
  const { signals, now, read, retry } = retrying;
  const isDue = retry !== null && !(await signals.wait(retry.waitMs, retry.summary));
  if (isDue) {
    now.isAttempting = true;
    const report = await retry.attempt();
    now.isAttempting = false;
    return { report };
  }
  if (!signals.hasPending()) await condition(allHandlersFinished);
  if (!signals.hasPending()) return null;
  signals.drain();
  return { report: await read() };
}
