import type { OfferKind } from '../../catalog/catalog.store.ts';

export type BillingInterval = 'month' | 'year';

/** How often an offer is paid for; null where it is once, for good. */
export const BILLING_INTERVALS: Record<OfferKind, BillingInterval | null> = {
  one_time: null,
  monthly: 'month',
  yearly: 'year',
};
