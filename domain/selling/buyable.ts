// Whether a product can be bought now, and at which price: a closed set of reasons why not.
import type { PriceView, ProductView } from '../catalog/catalog.store.ts';
import { refuse, type Refusal } from '../platform/refusal.ts';

/** In the order in which they are looked for; where several hold, the first is told. */
export const BUY_REASONS = {
  not_listed: 'This product is not on sale at the moment.',
  no_active_price: 'This product has no price yet.',
  no_commercial_operator: 'The seller of this product is not verified yet.',
  payouts_not_ready: 'The seller of this product cannot take payments yet.',
  not_sold_here: 'This product is sold elsewhere.',
  currency_not_offered: 'This product is not offered in that currency.',
  currency_unknown: 'That is not a currency we know.',
  already_owned: 'You already own this product.',
  processor_unavailable: 'Payments are not available right now. Please try again in a few minutes.',
} as const;

export type BuyReason = keyof typeof BUY_REASONS;

export type SaleFacts = Pick<
  ProductView,
  'state' | 'delivery' | 'hasCommercialOperator' | 'canSellerCharge'
> & { hasActivePrice: boolean };

export type AskedCurrency = { currency: string | null; isKnown: boolean; isEnabled: boolean };

/** The first reason why nobody can buy the product now, or null. */
export function decideSale(facts: SaleFacts): BuyReason | null {
  if (facts.state !== 'listed') return 'not_listed';
  if (!facts.hasActivePrice) return 'no_active_price';
  if (!facts.hasCommercialOperator) return 'no_commercial_operator';
  if (!facts.canSellerCharge) return 'payouts_not_ready';
  if (facts.delivery !== 'entitlement_api') return 'not_sold_here';
  return null;
}

/** The price in the asked currency: the base price without one, never a converted one. */
export function decidePrice(
  prices: readonly PriceView[],
  asked: AskedCurrency,
): PriceView | Refusal<BuyReason> {
  if (asked.currency === null) {
    return prices.find((price) => price.isBase) ?? refuse('no_active_price');
  }
  if (!asked.isKnown) return refuse('currency_unknown');
  const found = prices.find((price) => price.currency === asked.currency);
  return found && asked.isEnabled ? found : refuse('currency_not_offered');
}

/** The prices that somebody can be asked for today. */
export function enabledPrices<Price extends PriceView>(
  prices: readonly Price[],
  enabled: readonly string[],
): Price[] {
  return prices.filter(({ currency }) => enabled.includes(currency));
}
