import { keyOfDay, type DayOfUse } from './usage-day.ts';

const LARGEST = 50_000;

/**
 * Rows that this process has seen committed. A row is never removed and only rises, so what is
 * known of it stays true; the oldest are forgotten first, which costs one more commit.
 */
export function createKnownDays(largest = LARGEST) {
  const qualifyingByKey = new Map<string, boolean>();
  return {
    /** The row says already what this would make it say: nothing but counts would change. */
    covers(day: DayOfUse): boolean {
      const known = qualifyingByKey.get(keyOfDay(day));
      return known !== undefined && (known || !day.isQualifying);
    },
    remember(day: DayOfUse): void {
      const key = keyOfDay(day);
      qualifyingByKey.set(key, day.isQualifying || qualifyingByKey.get(key) === true);
      if (qualifyingByKey.size <= largest) return;
      const [oldest] = qualifyingByKey.keys();
      qualifyingByKey.delete(oldest!);
    },
  };
}
