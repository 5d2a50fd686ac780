// One table of permissions: pages, routes and the documentation read it.

export const ROLES = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** A person's roles for a product, a team or the platform; a lone builder has no team. */
export const PRODUCT_ROLES = [
  ...ROLES,
  'lone_builder',
  'verified_lone_builder',
  'operator',
] as const;

export type ProductRole = (typeof PRODUCT_ROLES)[number];

type Permission = { what: string; roles: readonly ProductRole[] };

const LONE = ['lone_builder', 'verified_lone_builder'] as const;
const BUILDERS = ['owner', 'admin', 'developer', 'verified_lone_builder'] as const;
const MANAGERS = ['owner', 'admin', 'verified_lone_builder'] as const;

export const PERMISSIONS = {
  see: {
    what: 'see products, statistics and deliveries',
    roles: [...ROLES, ...LONE, 'operator'],
  },
  see_payloads: {
    what: 'see the contents of deliveries',
    roles: ['owner', 'admin', 'developer', 'finance', ...LONE, 'operator'],
  },
  integrate: {
    what: 'manage keys, clients, endpoints and their secrets, send, retry and recover deliveries, and refresh the payout status',
    roles: BUILDERS,
  },
  try_out: {
    what: 'manage test keys, and clients and endpoints on loopback addresses',
    roles: [...BUILDERS, 'lone_builder'],
  },
  edit_listing: {
    what: 'edit and import the listing',
    roles: ['owner', 'admin', 'developer', ...LONE, 'operator'],
  },
  price: { what: 'set prices and include products with Member', roles: MANAGERS },
  list: { what: 'list and unlist products', roles: [...MANAGERS, 'operator'] },
  refund: {
    what: 'refund purchases and export data',
    roles: ['owner', 'admin', 'finance', 'verified_lone_builder'],
  },
  see_statements: {
    what: 'see statements',
    roles: ['owner', 'admin', 'finance', 'verified_lone_builder', 'operator'],
  },
  connect_payouts: {
    what: 'connect a payout account',
    roles: ['owner', 'finance', 'verified_lone_builder'],
  },
  answer_for_sales: {
    what: 'choose the seller of record',
    roles: ['owner', 'finance', 'verified_lone_builder'],
  },
  grant: { what: 'grant and revoke access', roles: [...MANAGERS, 'operator'] },
  manage_team: {
    what: 'invite members, change their roles and remove them',
    roles: ['owner', 'admin'],
  },
  manage_owners: { what: 'add and remove owners and finance members', roles: ['owner'] },
  delete_team: { what: 'delete the team', roles: ['owner'] },
  transfer: { what: 'transfer a product to a team', roles: ['owner', ...LONE] },
  take_over: { what: 'accept a product into the team', roles: ['owner', 'admin'] },
  remove_product: { what: 'remove a product', roles: ['owner', ...LONE, 'operator'] },
  run_platform: {
    what: 'run the platform: makers, currencies, fee, Member prices, unprocessed events, first-party clients',
    roles: ['operator'],
  },
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof PERMISSIONS;

/** True when any of the roles allows the action. */
export function isAllowed(roles: readonly ProductRole[], action: Action): boolean {
  const allowed: readonly ProductRole[] = PERMISSIONS[action].roles;
  return roles.some((role) => allowed.includes(role));
}

/** The team roles that allow the action. */
export function rolesFor(action: Action): Role[] {
  return ROLES.filter((role) => isAllowed([role], action));
}

export type ChangeOfRole = { by: Role; from: Role | null; to: Role | null };

/**
 * Inviting and removing change a role from or to nothing. Nobody gives or takes a right that the
 * own role lacks: owners alone change owners and finance members.
 */
export function mayChangeRole({ by, from, to }: ChangeOfRole): boolean {
  return isAllowed([by], 'manage_team') && hasRightsOf(by, from) && hasRightsOf(by, to);
}

function hasRightsOf(by: Role, other: Role | null): boolean {
  const actions = Object.keys(PERMISSIONS) as Action[];
  return (
    other === null || actions.every((each) => isAllowed([by], each) || !isAllowed([other], each))
  );
}
