import type { PriceView } from '../product.repository.ts';

export type ListedPrice = Pick<PriceView, 'amountMinor' | 'currency' | 'kind'>;

/**
 * The price that a list shows: the one that the product's page shows first, and whether others of its
 * kind and currency are higher. A month and a single payment cannot be compared.
 */
export function decideListedPrice(
  prices: readonly ListedPrice[],
): { price: ListedPrice; isLowest: boolean } | null {
  const [first] = prices;
  if (!first) return null;
  const others = prices.filter(
    ({ currency, kind }, index) => index > 0 && currency === first.currency && kind === first.kind,
  );
  const isLowest =
    others.length > 0 && others.every(({ amountMinor }) => amountMinor >= first.amountMinor);
  return { price: first, isLowest };
}
