import type { BillingInterval } from '../../domain/billing/recurring/billing-interval.ts';
import type { OfferKind } from '../../domain/catalog/product.repository.ts';

/** An offer in one word, for rows and choices. */
export const OFFER_NAMES: Record<OfferKind, string> = {
  one_time: 'Once',
  monthly: 'Monthly',
  yearly: 'Yearly',
};

/** An offer as a title. */
export const OFFER_WORDS: Record<OfferKind, string> = {
  one_time: 'One-time purchase',
  monthly: 'Monthly subscription',
  yearly: 'Yearly subscription',
};

/** Follows an amount: `9.00 USD a month`. */
export const PER: Record<OfferKind | BillingInterval, string> = {
  one_time: 'once',
  monthly: 'a month',
  yearly: 'a year',
  month: 'a month',
  year: 'a year',
};
