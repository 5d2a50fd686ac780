// The layout and navigation of the console's pages.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import { MOST_COUNTED } from '../../domain/notifications/notification.repository.ts';
import { isAllowed, ROLES, type ProductRole } from '../../domain/teams/permissions.ts';
import type { View } from '../http/route.ts';
import { groupedSections, sections } from '../html/section-nav.ts';
import { sentenceCase } from '../html/status-labels.ts';

export const NOTIFICATIONS = '/console/notifications';

const CONSOLE = [
  { path: '/console', label: 'Products' },
  { path: '/console/teams', label: 'Teams' },
  { path: NOTIFICATIONS, label: 'Notifications' },
  { path: '/console/roles', label: 'Roles' },
  { path: '/console/verification', label: 'Verified builder' },
] as const;

/** The pages of one product by group, in the order of its navigation: a new page is one more line. Those of its sales are kept when it is removed. */
const PRODUCT = [
  { group: null, page: '', label: 'Overview' },
  { group: 'Product', page: '/listing', label: 'Listing' },
  { group: 'Product', page: '/prices', label: 'Prices' },
  { group: 'Product', page: '/selling', label: 'Selling' },
  { group: 'Product', page: '/share', label: 'Share' },
  { group: 'Product', page: '/seal', label: 'Quality seal' },
  { group: 'Product', page: '/usage', label: 'Usage' },
  { group: 'Product', page: '/grants', label: 'Grants' },
  { group: 'Sales', page: '/purchases', label: 'Purchases' },
  { group: 'Sales', page: '/subscribers', label: 'Subscribers' },
  { group: 'Sales', page: '/recurring', label: 'Recurring revenue', action: 'see_statements' },
  { group: 'Sales', page: '/disputes', label: 'Disputes' },
  { group: 'Sales', page: '/statements', label: 'Statements', action: 'see_statements' },
  { group: 'Sales', page: '/pool', label: 'Creator pool', action: 'see_statements' },
  { group: 'Developers', page: '/integrate', label: 'Integrate' },
  { group: 'Developers', page: '/keys', label: 'API keys' },
  { group: 'Developers', page: '/clients', label: 'OAuth clients' },
  { group: 'Developers', page: '/endpoints', label: 'Webhooks' },
  { group: 'Developers', page: '/deliveries', label: 'Deliveries' },
  { group: 'Developers', page: '/requests', label: 'Requests' },
  { group: 'Developers', page: '/diagnostics', label: 'Diagnostics' },
  { group: 'Settings', page: '/audit', label: 'Audit trail' },
] as const;

const TEAM = [
  { page: '', label: 'Members' },
  { page: '/usage', label: 'Usage' },
  { page: '/audit', label: 'Audit trail' },
] as const;

type ConsolePage = {
  title: string;
  content: HtmlSafeString;
  /** How many notifications wait to be read. */
  unread: number;
};

/** A page of the console itself. */
export function consoleView(
  { title, content, unread }: ConsolePage,
  current: (typeof CONSOLE)[number]['path'],
): View {
  const pages = CONSOLE.map(({ path, label }) => ({
    path,
    label: path === NOTIFICATIONS && unread > 0 ? `${label} (${countWords(unread)})` : label,
  }));
  return {
    title,
    content: html`
      ${sections({ label: 'Console', sections: pages, current })}
      <h1>${title}</h1>
      ${content}
    `,
  };
}

function countWords(unread: number): string {
  return unread < MOST_COUNTED ? String(unread) : `${MOST_COUNTED - 1}+`;
}

export type FramedProduct = Pick<
  ManagedProduct,
  'slug' | 'name' | 'state' | 'ownerTeamId' | 'roles'
>;

export type ProductPage = (typeof PRODUCT)[number]['page'];

/** The head of a page of one product; null where the page is beside the navigation. */
export function productHeading(
  { slug, name, state, ownerTeamId, roles }: FramedProduct,
  current: ProductPage | null,
): HtmlSafeString {
  const path = productPath(slug);
  const pages = PRODUCT.filter(
    (each) =>
      (!('action' in each) || isAllowed(roles, each.action)) &&
      (state !== 'removed' || each.group === 'Sales'),
  );
  const isMember = ownerTeamId !== null && ROLES.some((role) => roles.includes(role));
  const team = isMember
    ? [{ group: 'Settings' as const, path: teamPath(ownerTeamId), label: 'Team' }]
    : [];
  const sectionsOf = [...pages.map((each) => ({ ...each, path: path + each.page })), ...team];
  return html`
    <p class="trail"><a href="/console">Products</a></p>
    <h1>${name} ${stateMark(state)}</h1>
    ${groupedSections({
      label: `Pages of ${name}`,
      groups: [...Map.groupBy(sectionsOf, ({ group }) => group)].map(([group, grouped]) => ({
        name: group,
        sections: grouped,
      })),
      current: current === null ? null : path + current,
    })}
  `;
}

export type TeamPage = (typeof TEAM)[number]['page'];

export function teamHeading(
  { id, name }: { id: string; name: string },
  current: TeamPage | null,
): HtmlSafeString {
  const path = teamPath(id);
  return html`
    <p class="trail"><a href="/console/teams">Teams</a></p>
    <h1>${name}</h1>
    ${sections({
      label: `Pages of ${name}`,
      sections: TEAM.map(({ page, label }) => ({ path: path + page, label })),
      current: current === null ? null : path + current,
    })}
  `;
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
