import type { DayOfUse } from './usage-day.ts';

type Known = Pick<DayOfUse, 'key' | 'isQualifying'>;

const LARGEST = 50_000;

/**
 * Rows that this process has seen committed. A row is never removed and only rises, so the
 * knowledge stays true; the oldest entries are dropped, which costs one more commit each.
 */
export function createUsageDayCache(largest = LARGEST) {
  // Two halves, of which the older one is dropped as a whole: a Map that loses its oldest entry one
  // by one walks past thousands of lost ones each time.
  let older = new Map<string, boolean>();
  let newer = new Map<string, boolean>();
  const find = (key: string) => newer.get(key) ?? older.get(key);
  return {
    /** True when the row already says as much: only counts would change. */
    covers({ key, isQualifying }: Known): boolean {
      const known = find(key);
      return known !== undefined && (known || !isQualifying);
    },
    remember({ key, isQualifying }: Known): void {
      const known = find(key);
      if (newer.size >= largest / 2) [older, newer] = [newer, new Map()];
      newer.set(key, isQualifying || known === true);
    },
  };
}
