import type { PriceView } from '../../catalog/product.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { BuyReason } from './sale-requirements.ts';

export type RequestedCurrency = { currency: string | null; isKnown: boolean };

/**
 * The price in the given currency, or the base price without a currency; never a converted price,
 * and no other one while the currency of the base price is disabled.
 */
export function decidePrice(
  prices: readonly PriceView[],
  asked: RequestedCurrency,
): PriceView | Refusal<BuyReason> {
  if (asked.currency === null) {
    return (
      prices.find((price) => price.isBase) ??
      refuse(prices.length === 0 ? 'no_active_price' : 'currency_not_offered')
    );
  }
  if (!asked.isKnown) return refuse('currency_unknown');
  const found = prices.find((price) => price.currency === asked.currency);
  return found ?? refuse('currency_not_offered');
}
