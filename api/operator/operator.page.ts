import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Waiting } from '../../domain/alerts/waiting.repository.ts';
import type { View } from '../http/route.ts';
import { icon } from '../html/icon.ts';
import { writeCapped } from '../html/numbers.ts';
import { pageHead, type PageHead } from '../html/parts/page-head.ts';
import type { SideLink } from '../html/side.ts';

export const OPERATOR = '/operator';
export const BUILDERS = '/operator/builders';
export const ACCOUNTS = '/operator/accounts';
export const PRODUCTS = '/operator/products';
export const PICTURES = '/operator/pictures';
export const SEALS = '/operator/seals';
export const SHELVES = '/operator/shelves';
export const POOL = '/operator/pool';
export const POOL_PAYOUTS = `${POOL}/payouts`;
export const POOL_EXCLUSIONS = `${POOL}/exclusions`;
export const POOL_SETTINGS = `${POOL}/settings`;
export const MONEY = '/operator/money';
export const MEMBER_PRICES = '/operator/member';
export const FIRST_PARTY = '/operator/clients';
export const AUDIT = '/operator/audit';
export const ALERTS = '/operator/alerts';
export const EVENTS = '/operator/events';
export const MESSAGES = '/operator/messages';
export const WORKFLOWS = '/operator/workflows';
export const FIND = '/operator/find';

const LINKS = [
  { group: null, path: OPERATOR, label: 'Overview', icon: 'layout-dashboard' },
  { group: 'People', path: BUILDERS, label: 'Makers', icon: 'badge-check' },
  { group: 'People', path: ACCOUNTS, label: 'Accounts', icon: 'users' },
  { group: 'Catalogue', path: PRODUCTS, label: 'Products', icon: 'package' },
  { group: 'Catalogue', path: PICTURES, label: 'Pictures', icon: 'eye' },
  { group: 'Catalogue', path: SEALS, label: 'Quality seals', icon: 'star' },
  { group: 'Catalogue', path: SHELVES, label: 'Store shelves', icon: 'store' },
  { group: 'Catalogue', path: FIRST_PARTY, label: 'First-party apps', icon: 'fingerprint' },
  { group: 'Money', path: POOL, label: 'Creator pool', icon: 'coins' },
  { group: 'Money', path: MEMBER_PRICES, label: 'Member', icon: 'key-round' },
  { group: 'Money', path: MONEY, label: 'Fee and currencies', icon: 'scale' },
  { group: 'Running', path: ALERTS, label: 'Alerts', icon: 'bell' },
  { group: 'Running', path: EVENTS, label: 'Unprocessed events', icon: 'inbox' },
  { group: 'Running', path: MESSAGES, label: 'Failed jobs', icon: 'ban' },
  { group: 'Running', path: WORKFLOWS, label: 'Workflows', icon: 'workflow' },
  { group: 'Last', path: AUDIT, label: 'Audit trail', icon: 'history' },
] as const;

const POOL_TABS = [
  { path: POOL, label: 'Months' },
  { path: POOL_PAYOUTS, label: 'Payouts' },
  { path: POOL_EXCLUSIONS, label: 'Excluded evidence' },
  { path: POOL_SETTINGS, label: 'Share and minimum' },
] as const;

type Section = (typeof LINKS)[number]['path'] | (typeof POOL_TABS)[number]['path'];

const GROUPS = [null, 'People', 'Catalogue', 'Money', 'Running'] as const;

const of = (name: (typeof LINKS)[number]['group']): SideLink[] =>
  LINKS.filter(({ group }) => group === name).map((link) =>
    link.path === POOL ? { ...link, tabs: POOL_TABS } : link,
  );

type OperatorPage = Omit<PageHead, 'trail'> & {
  section: Section;
  title: string;
  content: HtmlSafeString;
};

/** The layout of an operator's page, with its navigation. */
export function operatorPage(props: OperatorPage): View {
  const { section, title, content, ...head } = props;
  return {
    title,
    area: 'console',
    section: 'operator',
    side: {
      label: 'Operator',
      name: 'Operator',
      mark: icon('shield-check', 18),
      groups: GROUPS.map((name) => ({ name, links: of(name) })),
      last: of('Last'),
      switcher: html`<div class="who">
        <span class="avatar">${icon('shield-check')}</span>
        <span>Gatehouse<small>Operator</small></span>
      </div>`,
      current: section,
    },
    heading: pageHead({ title, ...head }),
    content,
  };
}

/** The queue that a page of the navigation empties. */
const QUEUES = [
  { path: BUILDERS, queue: 'requests' },
  { path: SEALS, queue: 'appeals' },
  { path: POOL, queue: 'months' },
  { path: ALERTS, queue: 'alerts', isTrouble: true },
  { path: EVENTS, queue: 'events', isTrouble: true },
  { path: MESSAGES, queue: 'jobs', isTrouble: true },
] as const;

const MOST_COUNTED = 100;

/** How many wait in a queue, as its page and the navigation say it. */
export function writeWaiting({ count }: Waiting[keyof Waiting]): string {
  return writeCapped(count, MOST_COUNTED);
}

/** Adds to the navigation of a page how much waits on the others. */
export function withWaiting(view: View, waiting: Waiting): View {
  const { side } = view;
  if (side === undefined || typeof side === 'function') return view;
  const count = (link: SideLink): SideLink => {
    const found = QUEUES.find(({ path }) => path === link.path);
    if (!found || waiting[found.queue].count === 0) return link;
    const words = writeWaiting(waiting[found.queue]);
    return { ...link, count: words, isQueue: !('isTrouble' in found) };
  };
  const groups = side.groups.map(({ name, links }) => ({ name, links: links.map(count) }));
  return { ...view, side: { ...side, groups } };
}
