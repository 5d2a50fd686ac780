import type { DayOfUse } from './usage-day.ts';

type Known = Pick<DayOfUse, 'key' | 'isQualifying'>;

const LARGEST = 50_000;

/**
 * Rows that this process has seen committed. A row is never removed and only rises, so what is
 * known of it stays true; the oldest are forgotten first, which costs one more commit.
 */
export function createKnownDays(largest = LARGEST) {
  const qualifyingByKey = new Map<string, boolean>();
  return {
    /** The row says already what this would make it say: nothing but counts would change. */
    covers({ key, isQualifying }: Known): boolean {
      const known = qualifyingByKey.get(key);
      return known !== undefined && (known || !isQualifying);
    },
    remember({ key, isQualifying }: Known): void {
      qualifyingByKey.set(key, isQualifying || qualifyingByKey.get(key) === true);
      if (qualifyingByKey.size <= largest) return;
      const [oldest] = qualifyingByKey.keys();
      qualifyingByKey.delete(oldest!);
    },
  };
}
