import type { Duration, RetryPolicy } from '@temporalio/common';
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

// Temporal retries a thrown error without limit, except in the steps of sweep, upkeep and reconcile.
// A permanent refusal is a return value; only an input that can name no row, and a delivery or a
// payout without a row, fail for good: no state is left to return.
// Each activity sends heartbeats, so Temporal notices a lost worker long before the timeout.
const heartbeatTimeout = '5 seconds';
const backoff = { initialInterval: '500 milliseconds', maximumInterval: '1 minute' } as const;

const proxy = (startToCloseTimeout: Duration, retry: RetryPolicy = backoff) =>
  proxyActivities<Activities>({ startToCloseTimeout, heartbeatTimeout, retry });

/** Reads and writes of the database. */
export const records = proxy('15 seconds');

/** Products may have millions of days of use: a statement about them may take four minutes. */
export const reviews = proxy('10 minutes');

/** A month of the pool may have a million Members. */
export const pools = proxy('1 hour');

/** A preview that cannot be made does not hold up the month. */
export const previews = proxy('1 hour', { ...backoff, maximumAttempts: 3 });

/** The processor may take two tries of 6 seconds. */
export const processor = proxy('30 seconds');

/** A claim of 4 seconds, an attempt of 10, two records of 4; a cohort begins its last group after 5. */
export const deliveries = proxy('35 seconds', { ...backoff, maximumInterval: '15 seconds' });

/** Four pictures of 8 seconds, each of which may wait for its turn to be made. */
export const imports = proxy('2 minutes');

/** A mail server may be away for hours: the mail's own expiry ends the tries. */
export const mails = proxy('1 minute', { ...backoff, maximumInterval: '5 minutes' });

// The next run begins minutes later.
const untilNextRun = { ...backoff, maximumAttempts: 5 };

/** Steps of a schedule's run: one that goes on failing must not keep the steps after it waiting. */
export const scheduled = {
  records: proxy('15 seconds', untilNextRun),
  reviews: proxy('10 minutes', untilNextRun),
  processor: proxy('30 seconds', untilNextRun),
};
