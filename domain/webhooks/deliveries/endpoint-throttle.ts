// The speed of endpoints as this process has seen it: slow ones get less at a time, and retries at
// a busy endpoint come back one after the other, at the endpoint's speed.
import { LRUCache } from 'lru-cache';
import { SLOW_ENDPOINT_LIMIT } from './attempts-at-once.ts';
import { MINUTE_MS } from '../../shared/instant.ts';

export type EndpointThrottle = {
  note(endpointId: string, durationMs: number): void;
  isSlow(endpointId: string): boolean;
  slowEndpointIds(): string[];
  /** Reserves the next moment in the queue of a busy endpoint and returns the wait. */
  reserveDelayMs(endpointId: string): number;
};

const SLOW_MS = 3_000;
const MAX_ENDPOINTS = 1_000;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 5 * MINUTE_MS;
const MIN_GAP_MS = 20;

export function createEndpointThrottle(now = () => Date.now()): EndpointThrottle {
  const slow = new LRUCache<string, number>({ max: MAX_ENDPOINTS });
  const reserved = new LRUCache<string, number>({ max: MAX_ENDPOINTS });
  return {
    note(endpointId, durationMs) {
      if (durationMs >= SLOW_MS) slow.set(endpointId, durationMs);
      else slow.delete(endpointId);
    },
    isSlow: (endpointId) => slow.has(endpointId),
    slowEndpointIds: () => [...slow.keys()],
    reserveDelayMs(endpointId) {
      const durationMs = slow.get(endpointId);
      const gapMs = durationMs === undefined ? MIN_GAP_MS : durationMs / SLOW_ENDPOINT_LIMIT;
      const earliest = now() + MIN_DELAY_MS;
      const last = reserved.get(endpointId) ?? 0;
      const reservedAt = Math.max(earliest, Math.min(last, now() + MAX_DELAY_MS) + gapMs);
      reserved.set(endpointId, reservedAt);
      // The end of a long queue is spread, so that its retries do not come at one moment.
      return reservedAt > now() + MAX_DELAY_MS
        ? MAX_DELAY_MS * (0.5 + Math.random() / 2)
        : reservedAt - now();
    },
  };
}
