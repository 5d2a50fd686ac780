// The speed of endpoints as this process has seen it: slow ones get less at a time, and retries at
// a busy endpoint come back one after the other, at the endpoint's speed.
import { SLOW_ENDPOINT_LIMIT } from '../../domain/webhooks/dispatch/limits.ts';

export type EndpointPace = {
  note(endpointId: string, durationMs: number): void;
  isSlow(endpointId: string): boolean;
  slowEndpointIds(): string[];
  /** Books the next place in the queue of a busy endpoint and returns the wait. */
  bookMs(endpointId: string): number;
};

const SLOW_MS = 3_000;
const REMEMBERED = 1_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
const APART_MS = 20;

export function createEndpointPace(now = () => Date.now()): EndpointPace {
  const slow = new Map<string, number>();
  const booked = new Map<string, number>();
  return {
    note(endpointId, durationMs) {
      slow.delete(endpointId);
      if (durationMs >= SLOW_MS) remember(slow, endpointId, durationMs);
    },
    isSlow: (endpointId) => slow.has(endpointId),
    slowEndpointIds: () => [...slow.keys()],
    bookMs(endpointId) {
      const durationMs = slow.get(endpointId);
      const apartMs = durationMs === undefined ? APART_MS : durationMs / SLOW_ENDPOINT_LIMIT;
      const earliest = now() + SHORTEST_MS;
      const last = booked.get(endpointId) ?? 0;
      const place = Math.max(earliest, Math.min(last, now() + LONGEST_MS) + apartMs);
      remember(booked, endpointId, place);
      // The end of a long queue is spread, so that its retries do not come at one moment.
      return place > now() + LONGEST_MS ? LONGEST_MS * (0.5 + Math.random() / 2) : place - now();
    },
  };
}

function remember(map: Map<string, number>, endpointId: string, value: number): void {
  map.delete(endpointId);
  map.set(endpointId, value);
  if (map.size > REMEMBERED) map.delete(map.keys().next().value!);
}
