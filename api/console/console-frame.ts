// The layout and navigation of the console's pages.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import { MOST_COUNTED } from '../../domain/notifications/notification.repository.ts';
import { isAllowed, ROLES, type ProductRole } from '../../domain/teams/permissions.ts';
import type { View } from '../route.ts';
import { sections } from '../html/section-nav.ts';
import { sentenceCase } from '../html/words.ts';

export const NOTIFICATIONS = '/console/notifications';

const CONSOLE = [
  { path: '/console', label: 'Products' },
  { path: '/console/teams', label: 'Teams' },
  { path: NOTIFICATIONS, label: 'Notifications' },
  { path: '/console/roles', label: 'Roles' },
  { path: '/console/verification', label: 'Verified builder' },
] as const;

/** The pages of one product, in the order of its navigation: a new page is one more line. Those of its sales are kept when it is removed. */
const PRODUCT = [
  { page: '', label: 'Overview' },
  { page: '/listing', label: 'Listing' },
  { page: '/prices', label: 'Prices' },
  { page: '/selling', label: 'Selling' },
  { page: '/share', label: 'Share' },
  { page: '/integrate', label: 'Integrate' },
  { page: '/keys', label: 'API keys' },
  { page: '/clients', label: 'OAuth clients' },
  { page: '/endpoints', label: 'Webhooks' },
  { page: '/purchases', label: 'Purchases', isKept: true },
  { page: '/subscribers', label: 'Subscribers', isKept: true },
  { page: '/recurring', label: 'Recurring revenue', action: 'see_statements', isKept: true },
  { page: '/grants', label: 'Grants' },
  { page: '/deliveries', label: 'Deliveries' },
  { page: '/requests', label: 'Requests' },
  { page: '/disputes', label: 'Disputes', isKept: true },
  { page: '/statements', label: 'Statements', action: 'see_statements', isKept: true },
  { page: '/usage', label: 'Usage' },
  { page: '/diagnostics', label: 'Diagnostics' },
  { page: '/audit', label: 'Audit trail' },
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
      (state !== 'removed' || 'isKept' in each),
  );
  const isMember = ownerTeamId !== null && ROLES.some((role) => roles.includes(role));
  const team = isMember ? [{ path: teamPath(ownerTeamId), label: 'Team' }] : [];
  return html`
    <p class="trail"><a href="/console">Products</a></p>
    <h1>${name} ${stateMark(state)}</h1>
    ${sections({
      label: `Pages of ${name}`,
      sections: [...pages.map(({ page, label }) => ({ path: path + page, label })), ...team],
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
