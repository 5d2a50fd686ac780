import type { PriceView } from '../product.repository.ts';

export type ListedPrice = Pick<PriceView, 'amountMinor' | 'currency' | 'kind'>;

/**
 * The price that a list shows: the lowest one in the currency that the product's page shows first,
 * and whether there are others in it.
 */
export function decideListedPrice(
  prices: readonly ListedPrice[],
): { price: ListedPrice; isLowest: boolean } | null {
  const [first] = prices;
  if (!first) return null;
  const same = prices.filter(({ currency }) => currency === first.currency);
  const price = same.reduce((low, each) => (each.amountMinor < low.amountMinor ? each : low));
  return { price, isLowest: same.length > 1 };
}
