export type PeriodRefusal = 'ends_before_it_starts' | 'ended_already' | 'too_far';

const FARTHEST_YEARS = 100;

/** The problem of a period, or null. Without a start it begins at once, without an end it stays. */
export function decidePeriod(
  { startsAt, endsAt }: { startsAt: Date | null; endsAt: Date | null },
  at: Date,
): PeriodRefusal | null {
  const farthest = new Date(at);
  farthest.setUTCFullYear(at.getUTCFullYear() + FARTHEST_YEARS);
  if ([startsAt, endsAt].some((boundary) => boundary !== null && boundary > farthest)) {
    return 'too_far';
  }
  if (endsAt === null) return null;
  if (endsAt <= at) return 'ended_already';
  return startsAt !== null && endsAt <= startsAt ? 'ends_before_it_starts' : null;
}
