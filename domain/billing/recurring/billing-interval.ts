import type { OfferKind } from '../../catalog/product.repository.ts';

export type BillingInterval = 'month' | 'year';

/** The interval of an offer; null for a single payment. */
export const BILLING_INTERVALS: Record<OfferKind, BillingInterval | null> = {
  one_time: null,
  monthly: 'month',
  yearly: 'year',
};

/** The number of calendar months in a period. */
export const BILLING_MONTHS: Record<BillingInterval, number> = { month: 1, year: 12 };
