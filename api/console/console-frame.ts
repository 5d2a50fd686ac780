// The layout and navigation of the console's pages.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import { MOST_COUNTED } from '../../domain/notifications/notification.repository.ts';
import { isAllowed, ROLES, type Action, type ProductRole } from '../../domain/teams/permissions.ts';
import type { View } from '../http/route.ts';
import { appIcon } from '../html/emblems.ts';
import { icon, type IconName } from '../html/icon.ts';
import type { Side, SideLink } from '../html/side.ts';
import { sentenceCase } from '../html/status-labels.ts';
import { switcher, type Choice } from '../html/switcher.ts';

export const NOTIFICATIONS = '/console/notifications';

export type Frame = Required<Pick<View, 'area' | 'section' | 'side' | 'heading'>>;

const CONSOLE = [
  { group: null, path: '/console', label: 'Products', icon: 'boxes' },
  { group: 'Team', path: '/console/teams', label: 'Teams', icon: 'users' },
  { group: 'Team', path: NOTIFICATIONS, label: 'Notifications', icon: 'bell' },
  { group: 'Team', path: '/console/roles', label: 'Roles', icon: 'key-round' },
  { group: 'Team', path: '/console/verification', label: 'Verified builder', icon: 'badge-check' },
] as const;

type ProductEntry = {
  page: string;
  label: string;
  /** The heading of the navigation; a page without one is a tab of another. */
  group?: 'Overview' | 'Store' | 'Sales' | 'People' | 'Build' | 'Settings';
  icon?: IconName;
  /** The page that this one is a tab of. */
  under?: string;
  /** How the page is called among its tabs. */
  tab?: string;
  /** Who sees it; by default everybody with a role. */
  action?: Action;
  /** Sales are kept when a product is removed. */
  isKept?: true;
};

/** The pages of one product in the order of its navigation: a new page is one more line. */
const PRODUCT = [
  { group: 'Overview', page: '', label: 'Overview', icon: 'layout-dashboard' },
  { group: 'Store', page: '/listing', label: 'Listing', icon: 'store' },
  { group: 'Store', page: '/prices', label: 'Prices', icon: 'tag' },
  { group: 'Store', page: '/share', label: 'Share', icon: 'share-2' },
  {
    group: 'Store',
    page: '/pool',
    label: 'Member and pool',
    icon: 'key-round',
    action: 'see_statements',
    isKept: true,
  },
  { group: 'Store', page: '/seal', label: 'Quality seal', icon: 'badge-check' },
  { group: 'Sales', page: '/purchases', label: 'Purchases', icon: 'receipt-text', isKept: true },
  { group: 'Sales', page: '/subscribers', label: 'Subscribers', icon: 'repeat', isKept: true },
  {
    under: '/subscribers',
    page: '/recurring',
    label: 'Recurring revenue',
    action: 'see_statements',
    isKept: true,
  },
  { group: 'Sales', page: '/disputes', label: 'Disputes', icon: 'gavel', isKept: true },
  {
    group: 'Sales',
    page: '/statements',
    label: 'Statements',
    icon: 'file-text',
    action: 'see_statements',
    isKept: true,
  },
  { group: 'People', page: '/usage', label: 'Usage', icon: 'activity' },
  { group: 'People', page: '/grants', label: 'Access', icon: 'gift' },
  { group: 'Build', page: '/integrate', label: 'Integrate', icon: 'plug' },
  { group: 'Build', page: '/keys', label: 'API keys', icon: 'code' },
  { group: 'Build', page: '/clients', label: 'Sign-in', icon: 'fingerprint' },
  { group: 'Build', page: '/endpoints', label: 'Webhooks', icon: 'webhook', tab: 'Endpoints' },
  { under: '/endpoints', page: '/deliveries', label: 'Deliveries' },
  { group: 'Build', page: '/requests', label: 'Requests', icon: 'list-checks' },
  { under: '/requests', page: '/diagnostics', label: 'Diagnostics' },
  { group: 'Settings', page: '/selling', label: 'Settings', icon: 'settings', tab: 'Selling' },
  { under: '/selling', page: '/audit', label: 'Audit trail' },
] as const satisfies readonly ProductEntry[];

const TEAM = [
  { page: '', label: 'Members', icon: 'users' },
  { page: '/usage', label: 'Usage', icon: 'activity' },
  { page: '/audit', label: 'Audit trail', icon: 'history' },
] as const;

type ConsolePage = {
  title: string;
  content: HtmlSafeString;
  /** How many notifications wait to be read. */
  unread: number;
  /** Stands beside the title. */
  actions?: HtmlSafeString;
};

const ALL_PRODUCTS = {
  name: 'All products',
  mark: icon('boxes', 18),
} as const;

/** A page of the console itself. */
export function consoleView(
  { title, content, unread, actions }: ConsolePage,
  current: (typeof CONSOLE)[number]['path'],
): View {
  const links = CONSOLE.map(({ path, label, icon: name, group }) => {
    const count = path === NOTIFICATIONS && unread > 0 ? countWords(unread) : '';
    return { group, path, label, icon: name, count };
  });
  const side: Side = {
    ...ALL_PRODUCTS,
    label: 'Console',
    groups: [
      { name: null, links: links.filter(({ group }) => group === null) },
      { name: 'Team', links: links.filter(({ group }) => group !== null) },
    ],
    current,
  };
  const heading = html`<h1>${title}</h1>
    ${actions === undefined ? '' : html`<div class="actions">${actions}</div>`}`;
  return { title, area: 'console', section: 'console', side, heading, content };
}

function countWords(unread: number): string {
  return unread < MOST_COUNTED ? String(unread) : `${MOST_COUNTED - 1}+`;
}

export type FramedProduct = Pick<
  ManagedProduct,
  'slug' | 'name' | 'state' | 'ownerTeamId' | 'roles' | 'sellerName'
> & {
  /** The other products of its person and their teams. */
  others?: readonly Choice[];
};

export type ProductPage = (typeof PRODUCT)[number]['page'];

type Head = {
  /** The pages above this one; with them it has no tabs. */
  trail?: readonly { path: string; label: string }[];
  /** The state, beside the title. */
  mark?: HtmlSafeString | '';
  /** Stands at the right of the title. */
  actions?: HtmlSafeString | '';
};

/** The navigation and the title of a page of one product; null where the page is beside the navigation. */
export function productFrame(
  product: FramedProduct,
  current: ProductPage | null,
  title: HtmlSafeString | string,
  { trail, mark: state = '', actions = '' }: Head = {},
): Frame {
  const path = productPath(product.slug);
  const links = productLinks(product);
  const of = (name: ProductEntry['group']) =>
    links.flatMap(({ group, ...link }) => (group === name ? [link] : []));
  const side: Side = {
    label: `Pages of ${product.name}`,
    name: product.name,
    mark: appIcon(product, 24),
    groups: [
      { name: null, links: of('Overview') },
      ...(['Store', 'Sales', 'People', 'Build'] as const).map((name) => ({
        name,
        links: of(name),
      })),
    ],
    // The settings, with the team among their tabs, go with the product.
    last: product.state === 'removed' ? teamTab(product) : of('Settings'),
    switcher: switcher({
      mark: appIcon(product, 34),
      name: product.name,
      line: product.sellerName,
      title: 'Your products',
      choices: product.others ?? [],
      current: path,
    }),
    current: current === null ? null : path + current,
    hasTabs: trail === undefined,
  };
  const mark = current === '' || product.state !== 'listed' ? stateMark(product.state) : '';
  const heading = html`${trail === undefined ? '' : trailOf(trail)}
    <h1>${title}</h1>
    ${state} ${mark} ${actions === '' ? '' : html`<div class="actions">${actions}</div>`}`;
  return { area: 'console', section: 'console', side, heading };
}

function trailOf(above: NonNullable<Head['trail']>): HtmlSafeString {
  return html`<nav class="trail" aria-label="Pages above">
    ${above.map(
      ({ path, label }, index) =>
        html`${index === 0 ? '' : html`<span aria-hidden="true">›</span>`}<a href="${path}"
            >${label}</a
          >`,
    )}
  </nav>`;
}

/** The pages that the person may see. */
function productLinks(product: FramedProduct): (SideLink & Pick<ProductEntry, 'group'>)[] {
  const path = productPath(product.slug);
  const entries = PRODUCT.filter((each: ProductEntry) => isShown(each, product));
  const tabsUnder = (entry: ProductEntry) => {
    const below = entries.filter((each: ProductEntry) => each.under === entry.page);
    if (below.length === 0) return [];
    const own = { path: path + entry.page, label: entry.tab ?? entry.label };
    const team = entry.page === '/selling' ? teamTab(product) : [];
    return [own, ...below.map(({ page, label }) => ({ path: path + page, label })), ...team];
  };
  return entries
    .map((entry: ProductEntry) => ({ ...entry, path: path + entry.page, tabs: tabsUnder(entry) }))
    .filter(({ group }) => group !== undefined);
}

function isShown({ action, isKept }: ProductEntry, { roles, state }: FramedProduct): boolean {
  return (action === undefined || isAllowed(roles, action)) && (state !== 'removed' || !!isKept);
}

function teamTab({ ownerTeamId, roles }: FramedProduct) {
  const isMember = ownerTeamId !== null && ROLES.some((role) => roles.includes(role));
  return isMember ? [{ path: teamPath(ownerTeamId), label: 'Team' }] : [];
}

export type TeamPage = (typeof TEAM)[number]['page'];

/** The navigation and the title of a page of one team. */
export function teamFrame(
  { id, name }: { id: string; name: string },
  current: TeamPage | null,
  title: HtmlSafeString | string,
): Frame {
  const path = teamPath(id);
  const side: Side = {
    label: `Pages of ${name}`,
    name,
    mark: icon('users', 18),
    groups: [
      {
        name: null,
        links: [
          { path: '/console', label: 'Products', icon: 'boxes' },
          { path: '/console/teams', label: 'Teams', icon: 'users' },
        ],
      },
      { name, links: TEAM.map((each) => ({ ...each, path: path + each.page })) },
    ],
    current: current === null ? null : path + current,
  };
  return { area: 'console', section: 'console', side, heading: html`<h1>${title}</h1>` };
}

export function productPath(slug: string): string {
  return `/console/products/${slug}`;
}

export function teamPath(teamId: string): string {
  return `/console/teams/${teamId}`;
}

export function stateMark(state: string): HtmlSafeString {
  return html`<small class="state" data-state="${state}">${sentenceCase(state)}</small>`;
}

export const ROLE_WORDS: Record<ProductRole, string> = {
  owner: 'owner',
  admin: 'admin',
  developer: 'developer',
  finance: 'finance',
  viewer: 'viewer',
  lone_builder: 'unverified builder',
  verified_lone_builder: 'verified builder',
  operator: 'operator',
};

/** The roles of a person or of a permission, in words. */
export function describeRoles(roles: readonly ProductRole[]): string {
  return roles.map((role) => ROLE_WORDS[role]).join(', ');
}
