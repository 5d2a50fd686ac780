import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { PoolPeriodInput } from '../contracts.ts';

type PoolActivities = Activities & {
  freezePool(input: PoolPeriodInput): Promise<{ status: 'frozen' | 'empty' }>;
  computePool(
    input: PoolPeriodInput,
  ): Promise<{ status: 'computed' } | { status: 'frozen'; problem: string }>;
  previewPool(input: PoolPeriodInput): Promise<{ status: string }>;
  reviewPool(input: PoolPeriodInput): Promise<{ listed: number }>;
  startPoolPayouts(input: PoolPeriodInput): Promise<{ status: string; problem: string | null }>;
};

const heartbeatTimeout = '5 seconds';
const backoff = { initialInterval: '500 milliseconds', maximumInterval: '1 minute' } as const;

/** A month of many Members takes minutes; heartbeats tell of a lost worker long before the end. */
export const pools = proxyActivities<PoolActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: backoff,
});

/** A preview that cannot be made does not hold up the month. */
export const previews = proxyActivities<PoolActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: { ...backoff, maximumAttempts: 3 },
});
