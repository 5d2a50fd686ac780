import type { DayOfUse } from './usage-day.ts';

type Known = Pick<DayOfUse, 'key' | 'isQualifying'>;

const LARGEST = 50_000;

/**
 * Rows that this process has seen committed. A row is never removed and only rises, so what is
 * known of it stays true; those committed first are forgotten, which costs one more commit each.
 */
export function createKnownDays(largest = LARGEST) {
  // Two halves, and the older one goes as a whole: a Map that loses its oldest entry one by one
  // walks past those it has lost, thousands for each.
  let older = new Map<string, boolean>();
  let newer = new Map<string, boolean>();
  const find = (key: string) => newer.get(key) ?? older.get(key);
  return {
    /** The row says already what this would make it say: nothing but counts would change. */
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
