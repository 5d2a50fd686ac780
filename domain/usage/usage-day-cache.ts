import { LRUCache } from 'lru-cache';
import type { DayOfUse } from './usage-day.ts';

type Known = Pick<DayOfUse, 'key' | 'isQualifying'>;

const MAX_DAYS = 50_000;

/**
 * Rows that this process has seen committed. A row is never removed and only rises, so the
 * knowledge stays true; a forgotten row costs one more commit.
 */
export function createUsageDayCache(largest = MAX_DAYS) {
  const known = new LRUCache<string, boolean>({ max: largest });
  return {
    /** True when the row already says as much: only counts would change. */
    covers({ key, isQualifying }: Known): boolean {
      const wasQualifying = known.get(key);
      return wasQualifying !== undefined && (wasQualifying || !isQualifying);
    },
    remember({ key, isQualifying }: Known): void {
      known.set(key, isQualifying || known.get(key) === true);
    },
  };
}
