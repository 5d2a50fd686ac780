// The missing requirements of a sale, by the same facts that the buy link uses.
import { SALE_REQUIREMENTS, type BuyReason, type SaleFacts } from './buyable.ts';

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
