import type { OfferKind } from '../../catalog/catalog.repository.ts';

export type BillingInterval = 'month' | 'year';

/** How often an offer is paid for; null where it is once, for good. */
export const BILLING_INTERVALS: Record<OfferKind, BillingInterval | null> = {
  one_time: null,
  monthly: 'month',
  yearly: 'year',
};

/** How many months of the calendar a period has. */
export const BILLING_MONTHS: Record<BillingInterval, number> = { month: 1, year: 12 };
