// What badges have said, for callers that have asked too often.
import { LRUCache } from 'lru-cache';
import type { BadgeFacts } from '../../domain/catalog/storefront-product.query.ts';

/** What a badge says of each reference; null is a product that nobody may know of. */
export type KnownBadges = LRUCache<string, { facts: BadgeFacts | null }>;

const MINUTE_MS = 60_000;

export function createKnownBadges(now = () => performance.now()): KnownBadges {
  return new LRUCache({ max: 10_000, ttl: MINUTE_MS, ttlResolution: 0, perf: { now } });
}
