import { refuse, type Refusal } from '../shared/refusal.ts';
import type { ProductView } from './product.repository.ts';

export type LifecycleChange = 'list' | 'unlist' | 'remove';

export type LifecycleState = Pick<ProductView, 'state' | 'delivery'> & {
  isUnlistedByOperator: boolean;
};

type Circumstances = {
  /** An operator acts for the platform. */
  isByOperator: boolean;
  /** The default offer has a price in an enabled currency. */
  hasSoldPrice: boolean;
  /** The listing says what the store shows of a new product. */
  isDescribed: boolean;
};

/**
 * Decides whether a product that is not removed changes its state; null when it does. A product that
 * is sold here is listed with a price, and a draft with a complete listing. Only an operator lists what an operator unlisted, and keeps
 * unlisted what its owner has just unlisted.
 */
export function refuseLifecycleChange(
  change: LifecycleChange,
  { state, delivery, isUnlistedByOperator }: LifecycleState,
  { isByOperator, hasSoldPrice, isDescribed }: Circumstances,
): Refusal<'unchanged' | 'no_price' | 'not_described' | 'by_operator'> | null {
  if (change === 'remove') return null;
  if (change === 'unlist') {
    const isOwners = state === 'unlisted' && !isUnlistedByOperator;
    return state === 'listed' || (isOwners && isByOperator) ? null : refuse('unchanged');
  }
  if (state === 'listed') return refuse('unchanged');
  if (isUnlistedByOperator && !isByOperator) return refuse('by_operator');
  if (delivery === 'entitlement_api' && !hasSoldPrice) return refuse('no_price');
  return state === 'draft' && !isDescribed ? refuse('not_described') : null;
}
