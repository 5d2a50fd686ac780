// A team whose owners are all revoked builders sells nothing; those who paid keep their access.
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
