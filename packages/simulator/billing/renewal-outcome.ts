import type { CardOutcome } from '../page/cards.ts';

/** `refused`: the bank says that it will never pay from this card. */
export type RenewalOutcome = 'succeeded' | 'processing' | 'failed' | 'refused';

/** Days after the one on which a renewal was due. */
const RETRY_DAYS = [1, 3, 5, 7];
const DAY_MS = 86_400_000;

/** What a card does when it is charged without its owner, at the given attempt for one invoice. */
export function decideRenewal(card: CardOutcome, attempt: number): RenewalOutcome {
  switch (card) {
    case 'renewals_recover':
      return attempt > 2 ? 'succeeded' : 'failed';
    case 'renewals_fail':
    case 'declined':
    case 'fails_late':
      return 'failed';
    case 'renewals_refused':
      return 'refused';
    case 'clears_late':
      return 'processing';
    default:
      return 'succeeded';
  }
}

/** The next try after one that failed, or null after the last. */
export function decideRetryAt(dueAt: Date, triedAt: Date): Date | null {
  const tries = RETRY_DAYS.map((days) => new Date(dueAt.getTime() + days * DAY_MS));
  return tries.find((at) => at > triedAt) ?? null;
}
