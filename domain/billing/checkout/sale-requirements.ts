// Decides whether a product can be bought now; the reasons are a closed set.
import type { ProductView } from '../../catalog/product.repository.ts';

/** Stand in the order of the checks: the first reason that holds is shown. */
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

type SaleRequirement = { reason: BuyReason; isMet: (facts: SaleFacts) => boolean };

/**
 * The requirements of a sale, in the order of the reasons; the console's checklist uses them too.
 */
const SALE_REQUIREMENTS = [
  { reason: 'not_listed', isMet: ({ state }) => state === 'listed' },
  { reason: 'no_active_price', isMet: ({ hasActivePrice }) => hasActivePrice },
  {
    reason: 'no_commercial_operator',
    isMet: ({ hasCommercialOperator }) => hasCommercialOperator,
  },
  { reason: 'payouts_not_ready', isMet: ({ canSellerCharge }) => canSellerCharge },
  { reason: 'not_sold_here', isMet: ({ delivery }) => delivery === 'entitlement_api' },
] as const satisfies readonly SaleRequirement[];

/** The first reason against a sale, or null. */
export function decideSale(facts: SaleFacts): BuyReason | null {
  return SALE_REQUIREMENTS.find(({ isMet }) => !isMet(facts))?.reason ?? null;
}

export type RequirementCode = BuyReason | 'no_way_to_check';

export type Requirement = { code: RequirementCode; isMet: boolean };

export type RequirementFacts = SaleFacts & { hasLiveKey: boolean; hasClient: boolean };

/**
 * The checklist in the order of the reasons. A product that is sold elsewhere only needs to be
 * listed.
 */
export function listSaleRequirements(facts: RequirementFacts): Requirement[] {
  const isSoldHere = facts.delivery === 'entitlement_api';
  const needed = SALE_REQUIREMENTS.filter(({ reason }) =>
    isSoldHere ? reason !== 'not_sold_here' : reason === 'not_listed',
  ).map(({ reason, isMet }) => ({ code: reason, isMet: isMet(facts) }));
  if (!isSoldHere) return needed;
  return [...needed, { code: 'no_way_to_check', isMet: facts.hasLiveKey || facts.hasClient }];
}
