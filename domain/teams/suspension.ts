// A team whose owners are all revoked builders sells nothing; those who paid keep their access.
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed, type Action, type ProductRole } from './permissions.ts';

const BARRED: readonly Action[] = ['price', 'list', 'connect_payouts', 'answer_for_sales', 'grant'];

export type Rights = {
  roles: readonly ProductRole[];
  /** The product belongs to such a team. */
  isSuspended?: boolean;
};

/** The team's suspension bars the action. Operators act by a role of their own. */
export function isBarred({ roles, isSuspended = false }: Rights, action: Action): boolean {
  const operatorRoles = roles.filter((role) => role === 'operator');
  return isSuspended && BARRED.includes(action) && !isAllowed(operatorRoles, action);
}

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
