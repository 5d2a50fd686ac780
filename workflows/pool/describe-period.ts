import type { PeriodState } from '../../activities/pool/period.activities.ts';

/** What a wait is for; without an instant the step is made now. */
type Ahead = { problem: string | null; until: string | null };

/** Describes the state of a period, for a person to read in Temporal. */
export function describePeriod(period: PeriodState, { problem, until }: Ahead): string {
  const { status, sums } = period;
  const about =
    problem === null
      ? [status, ...aheadOf(period, until)]
      : [`stopped at ${status}`, problem, ...(until ? [`tries again at ${until}`] : [])];
  const [first, ...others] = [...about, ...(sums === null ? [] : [sums])];
  return others.length === 0 ? first! : `${first}: ${others.join('; ')}`;
}

function aheadOf({ status, listed, payouts, openPayouts }: PeriodState, until: string | null) {
  if (status === 'in_review') {
    return ['waits for the approval of an operator', `on the review list: ${listed} products`];
  }
  if (status === 'paying') return [`${openPayouts} of ${payouts} payouts are under way`];
  if (until === null) return [];
  return [status === 'open' ? `will be frozen at ${until}` : `tries again at ${until}`];
}
