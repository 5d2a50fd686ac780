import { writeCsv, type Columns } from '../../http/csv.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import type { Subscriber } from '../../../domain/billing/reports/subscriber-list.repository.ts';
import { productPath } from '../console-frame.ts';

export function subscribersPath(slug: string): string {
  return `${productPath(slug)}/subscribers`;
}

/** The statuses of a subscription after its first payment. */
export const SHOWN_STATUSES = ['active', 'past_due', 'canceling', 'ended'] as const;

const write = (at: Date | null) => at?.toISOString() ?? null;

const COLUMNS: Columns<Subscriber> = {
  subscription_id: ({ subscriptionId }) => subscriptionId,
  purchase_id: ({ purchaseId }) => purchaseId,
  handle: ({ handle }) => handle,
  status: ({ status }) => status,
  amount: ({ amountMinor, currency }) => ({ exact: writeAmount(amountMinor, currency) }),
  amount_minor: ({ amountMinor }) => amountMinor,
  currency: ({ currency }) => currency,
  interval: ({ billingInterval }) => billingInterval,
  began_utc: ({ beganAt }) => write(beganAt),
  paid_until_utc: ({ periodEnd }) => write(periodEnd),
  grace_ends_utc: ({ graceEndsAt }) => write(graceEndsAt),
  cancels_utc: ({ cancelAt }) => write(cancelAt),
  ended_utc: ({ endedAt }) => write(endedAt),
};

export function writeSubscribers(batches: AsyncIterable<Subscriber[]>) {
  return writeCsv(batches, COLUMNS);
}
