import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

// Temporal retries a thrown error without limit, except in the steps of sweep, upkeep and reconcile.
// A permanent refusal is a return value; only an input that can name no row, and a delivery or a
// payout without a row, fail for good: no state is left to return.
// Each activity sends heartbeats, so Temporal notices a lost worker long before the timeout.
const heartbeatTimeout = '5 seconds';
const backoff = { initialInterval: '500 milliseconds', maximumInterval: '1 minute' } as const;

/** Reads and writes of the database. */
export const records = proxyActivities<Activities>({
  startToCloseTimeout: '15 seconds',
  heartbeatTimeout,
  retry: backoff,
});

/** Products may have millions of days of use: a statement about them may take four minutes. */
export const reviews = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout,
  retry: backoff,
});

/** A month of the pool may have a million Members. */
export const pools = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: backoff,
});

/** A preview that cannot be made does not hold up the month. */
export const previews = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: { ...backoff, maximumAttempts: 3 },
});

/** The processor may take two tries of 6 seconds. */
export const processor = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout,
  retry: backoff,
});

/** A claim of 4 seconds, an attempt of 10, two records of 4; a cohort begins its last group after 5. */
export const deliveries = proxyActivities<Activities>({
  startToCloseTimeout: '35 seconds',
  heartbeatTimeout,
  retry: { ...backoff, maximumInterval: '15 seconds' },
});

/** A mail server may be away for hours: the mail's own expiry ends the tries. */
export const mails = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { ...backoff, maximumInterval: '5 minutes' },
});

// The next run begins minutes later.
const untilNextRun = { ...backoff, maximumAttempts: 5 };

/** Steps of a schedule's run: one that goes on failing must not keep the steps after it waiting. */
export const scheduled = {
  records: proxyActivities<Activities>({
    startToCloseTimeout: '15 seconds',
    heartbeatTimeout,
    retry: untilNextRun,
  }),
  reviews: proxyActivities<Activities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout,
    retry: untilNextRun,
  }),
  processor: proxyActivities<Activities>({
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout,
    retry: untilNextRun,
  }),
};
