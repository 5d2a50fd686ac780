// Whether a product can be bought now, and at which price: a closed set of reasons why not.
import type { PriceView, ProductView } from '../../catalog/catalog.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

/** In the order in which they are looked for; where several hold, the first is told. */
export const BUY_REASONS = [
  'not_listed',
  'no_active_price',
  'no_commercial_operator',
  'payouts_not_ready',
  'not_sold_here',
  'currency_not_offered',
  'currency_unknown',
  'already_owned',
  'processor_unavailable',
] as const;

export type BuyReason = (typeof BUY_REASONS)[number];

export type SaleFacts = Pick<
  ProductView,
  'state' | 'delivery' | 'hasCommercialOperator' | 'canSellerCharge'
> & { hasActivePrice: boolean };

export type AskedCurrency = { currency: string | null; isKnown: boolean };

type Requirement = { reason: BuyReason; isMet: (facts: SaleFacts) => boolean };

/** What a sale needs, in the order of the reasons; the console's checklist is made of the same. */
export const SALE_REQUIREMENTS = [
  { reason: 'not_listed', isMet: ({ state }) => state === 'listed' },
  { reason: 'no_active_price', isMet: ({ hasActivePrice }) => hasActivePrice },
  {
    reason: 'no_commercial_operator',
    isMet: ({ hasCommercialOperator }) => hasCommercialOperator,
  },
  { reason: 'payouts_not_ready', isMet: ({ canSellerCharge }) => canSellerCharge },
  { reason: 'not_sold_here', isMet: ({ delivery }) => delivery === 'entitlement_api' },
] as const satisfies readonly Requirement[];

/** The first reason why nobody can buy the product now, or null. */
export function decideSale(facts: SaleFacts): BuyReason | null {
  return SALE_REQUIREMENTS.find(({ isMet }) => !isMet(facts))?.reason ?? null;
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
  return found ?? refuse('currency_not_offered');
}
