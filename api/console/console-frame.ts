// The layout and navigation of the console's pages.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct, ProductChoice } from '../../domain/catalog/product.repository.ts';
import { MOST_WAITING, type Waiting } from '../../domain/product-figures/waiting.repository.ts';
import { isAllowed, ROLES, type Action, type ProductRole } from '../../domain/teams/permissions.ts';
import type { View } from '../http/route.ts';
import { appIcon } from '../html/emblems.ts';
import { pageHead, type PageHead } from '../html/parts/page-head.ts';
import { icon, type IconName } from '../html/icon.ts';
import { avatar } from '../html/parts/avatar.ts';
import type { Side, SideLink } from '../html/side.ts';
import { writeCapped } from '../html/numbers.ts';
import { productPill } from '../html/status-pills.ts';
import { ME } from './console-scope.ts';
import { switcher, type Choice } from '../html/switcher.ts';

export const NOTIFICATIONS = '/console/notifications';

export type Frame = Required<Pick<View, 'area' | 'section' | 'side' | 'heading'>>;

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
  { group: 'Store', page: '/listing', label: 'Listing', icon: 'store', tab: 'Text and pictures' },
  { under: '/listing', page: '/releases', label: 'Releases' },
  { under: '/listing', page: '/imports', label: 'Imports', action: 'edit_listing' },
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
  { under: '/selling', page: '/transfer', label: 'Transfer', action: 'transfer' },
] as const satisfies readonly ProductEntry[];

export type FramedProduct = Pick<
  ManagedProduct,
  'slug' | 'name' | 'iconHash' | 'state' | 'ownerTeamId' | 'roles' | 'sellerName'
> & {
  readNavigation?: () => Promise<Navigation>;
};

/** The products that a person may choose, and what waits in this one. */
type Navigation = { others: readonly ProductChoice[]; waiting: Waiting };

const NO_NAVIGATION: Navigation = { others: [], waiting: { disputes: 0, deliveries: 0 } };

type ProductPage = (typeof PRODUCT)[number]['page'];

/** Leads to pages above this one, which then has no tabs. */
type Head = Pick<PageHead, 'trail' | 'state' | 'actions'>;

/** The navigation and the title of a page of one product; null where the page is beside the navigation. */
export function productFrame(
  product: FramedProduct,
  current: ProductPage | null,
  title: HtmlSafeString | string,
  { state = '', ...head }: Head = {},
): Frame {
  const hasTabs = head.trail === undefined;
  const side = async () => {
    const navigation = (await product.readNavigation?.()) ?? NO_NAVIGATION;
    return sideOf(product, { current, hasTabs, ...navigation });
  };
  const mark = current === '' || product.state !== 'listed' ? productPill(product) : '';
  const heading = pageHead({ title, ...head, state: html`${state} ${mark}` });
  return { area: 'console', section: 'console', side, heading };
}

type Beside = Navigation & { current: ProductPage | null; hasTabs: boolean };

function sideOf(product: FramedProduct, { others, waiting, current, hasTabs }: Beside): Side {
  const path = productPath(product.slug);
  const links = productLinks(product, waiting);
  const of = (name: ProductEntry['group']) =>
    links.flatMap(({ group, ...link }) => (group === name ? [link] : []));
  return {
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
    switcher: productSwitcher(product, others),
    current: current === null ? null : path + current,
    hasTabs,
  };
}

function productSwitcher(product: FramedProduct, others: readonly ProductChoice[]): HtmlSafeString {
  const { slug, name, ownerTeamId, sellerName } = product;
  // An operator sees products of others, who may have the same name as a team.
  const isSibling = (other: ProductChoice) =>
    other.ownerTeamId === ownerTeamId && other.sellerName === sellerName;
  const siblings = others.filter(isSibling);
  const owners = others.filter((other) => !isSibling(other));
  return switcher({
    mark: appIcon(product, 34),
    name,
    line: sellerName,
    title: `Products of ${sellerName}`,
    choices: [
      siblings.map((other) => ({
        path: productPath(other.slug),
        label: other.name,
        mark: appIcon(other, 24),
        isCurrent: other.slug === slug,
        isDraft: other.state === 'draft',
      })),
      MORE,
      [...new Map(owners.map((other) => [other.ownerTeamId, other.sellerName]))].map(
        ([teamId, seller]) => ({
          path: `/console?owner=${teamId ?? ME}`,
          label: `Switch to ${seller}`,
          mark: avatar(seller),
        }),
      ),
    ],
  });
}

const MORE: readonly Choice[] = [
  { path: '/console', label: 'All products', mark: icon('layout-dashboard') },
  { path: '/console/new-product', label: 'New product', mark: icon('plus') },
];

/** The pages that the person may see. */
function productLinks(
  product: FramedProduct,
  waiting: Waiting,
): (SideLink & Pick<ProductEntry, 'group'>)[] {
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
    .map((entry: ProductEntry) => ({
      ...entry,
      path: path + entry.page,
      tabs: tabsUnder(entry),
      count: countOf(entry.page, waiting),
    }))
    .filter(({ group }) => group !== undefined);
}

/** How much waits on the page. */
function countOf(page: string, waiting: Waiting): string {
  const counts: Record<string, number> = {
    '/disputes': waiting.disputes,
    '/endpoints': waiting.deliveries,
  };
  const count = counts[page] ?? 0;
  return count === 0 ? '' : writeCapped(count, MOST_WAITING);
}

function isShown({ action, isKept }: ProductEntry, { roles, state }: FramedProduct): boolean {
  return (action === undefined || isAllowed(roles, action)) && (state !== 'removed' || !!isKept);
}

function teamTab({ ownerTeamId, roles }: FramedProduct) {
  const isMember = ownerTeamId !== null && ROLES.some((role) => roles.includes(role));
  return isMember ? [{ path: teamPath(ownerTeamId), label: 'Team' }] : [];
}

export function productPath(slug: string): string {
  return `/console/products/${slug}`;
}

export function teamPath(teamId: string): string {
  return `/console/teams/${teamId}`;
}

export const ROLE_WORDS: Record<ProductRole, string> = {
  owner: 'owner',
  admin: 'admin',
  developer: 'developer',
  finance: 'finance',
  viewer: 'viewer',
  lone_builder: 'unverified maker',
  verified_lone_builder: 'verified maker',
  operator: 'operator',
};

/** The roles of a person or of a permission, in words. */
export function describeRoles(roles: readonly ProductRole[]): string {
  return roles.map((role) => ROLE_WORDS[role]).join(', ');
}
