import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed, type Action } from '../teams/permissions.ts';
import { isBarred, type Rights } from '../teams/suspension.ts';

export type RightsRefusal = 'not_found' | 'not_allowed' | 'suspended';

/** Returns the product whose roles allow the action; null stands for a person without a role. */
export function decideProductRights<Product extends Rights>(
  product: Product | null,
  action: Action,
): Product | Refusal<RightsRefusal> {
  if (product === null) return refuse('not_found');
  if (!isAllowed(product.roles, action)) return refuse('not_allowed');
  return isBarred(product, action) ? refuse('suspended') : product;
}
