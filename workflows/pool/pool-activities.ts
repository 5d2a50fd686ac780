import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';

const heartbeatTimeout = '5 seconds';
const backoff = { initialInterval: '500 milliseconds', maximumInterval: '1 minute' } as const;

/** A month of many Members takes minutes; heartbeats tell of a lost worker long before the end. */
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
