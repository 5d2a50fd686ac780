// Who may do what, in one table: pages, routes and the documentation read it from here.

export const ROLES = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** What a person is to a product, a team or the platform; a lone builder has no team behind them. */
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
    what: 'see what deliveries say',
    roles: ['owner', 'admin', 'developer', 'finance', ...LONE, 'operator'],
  },
  integrate: {
    what: 'keys, clients, endpoints and their secrets; send a test, retry, recover, refresh the payout status',
    roles: BUILDERS,
  },
  edit_listing: {
    what: 'edit and import the listing',
    roles: ['owner', 'admin', 'developer', ...LONE, 'operator'],
  },
  price: { what: 'prices, offers, Included with Member', roles: MANAGERS },
  list: { what: 'list and unlist', roles: [...MANAGERS, 'operator'] },
  refund: {
    what: 'refunds and exports',
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
    what: 'answer for sales, as the commercial operator',
    roles: ['owner', 'finance', 'verified_lone_builder'],
  },
  grant: { what: 'grant and withdraw access', roles: [...MANAGERS, 'operator'] },
  manage_team: { what: 'invite, change roles and remove members', roles: ['owner', 'admin'] },
  manage_owners: { what: 'make and unmake owners', roles: ['owner'] },
  delete_team: { what: 'delete the team', roles: ['owner'] },
  transfer: { what: 'transfer a product', roles: ['owner', ...LONE] },
  take_over: { what: 'take a product of their own into the team', roles: ['owner', 'admin'] },
  remove_product: { what: 'remove a product', roles: ['owner', ...LONE, 'operator'] },
  run_platform: {
    what: 'verify builders, currencies, fee, Member prices, parked events, first-party clients',
    roles: ['operator'],
  },
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof PERMISSIONS;

/** Whether any of what a person is allows the action. */
export function isAllowed(roles: readonly ProductRole[], action: Action): boolean {
  const allowed: readonly ProductRole[] = PERMISSIONS[action].roles;
  return roles.some((role) => allowed.includes(role));
}

/** The roles in a team that allow the action. */
export function rolesFor(action: Action): Role[] {
  return ROLES.filter((role) => isAllowed([role], action));
}

export type ChangeOfRole = { by: Role; from: Role | null; to: Role | null };

/** Inviting, changing and removing: from or to nothing; only an owner touches owners. */
export function mayChangeRole({ by, from, to }: ChangeOfRole): boolean {
  const action = from === 'owner' || to === 'owner' ? 'manage_owners' : 'manage_team';
  return isAllowed([by], action);
}
