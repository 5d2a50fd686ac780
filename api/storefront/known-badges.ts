// What the process knows of listings, for callers that have asked too often.
import { LRUCache } from 'lru-cache';
import type { Listing } from '../../domain/catalog/storefront-product.query.ts';

/** Listings by reference; null is a product that nobody may know of. */
export type KnownListings = LRUCache<string, { listing: Listing | null }>;

const MINUTE_MS = 60_000;

export function createKnownListings(now = () => performance.now()): KnownListings {
  return new LRUCache({ max: 10_000, ttl: MINUTE_MS, ttlResolution: 0, perf: { now } });
}
