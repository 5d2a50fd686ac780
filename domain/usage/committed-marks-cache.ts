import { LRUCache } from 'lru-cache';
import type { Evidence } from './evidence-marks.ts';

type Known = Pick<Evidence, 'key' | 'marks'>;

const MAX_DAYS = 50_000;

/**
 * Marks that this process has seen committed. A row only gains marks, so the knowledge stays true; a
 * forgotten day costs one more commit.
 */
export function createKnownDays(largest = MAX_DAYS) {
  const known = new LRUCache<string, number>({ max: largest });
  return {
    /** True when the row has all of the marks. */
    covers({ key, marks }: Known): boolean {
      return (marks & ~(known.get(key) ?? 0)) === 0;
    },
    remember({ key, marks }: Known): void {
      known.set(key, marks | (known.get(key) ?? 0));
    },
  };
}
