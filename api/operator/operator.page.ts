import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { icon } from '../html/icon.ts';

export const OPERATOR = '/operator';
export const BUILDERS = '/operator/builders';
export const PRODUCTS = '/operator/products';
export const SEALS = '/operator/seals';
export const POOL = '/operator/pool';
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
  { group: 'Catalogue', path: PRODUCTS, label: 'Products', icon: 'package' },
  { group: 'Catalogue', path: SEALS, label: 'Quality seals', icon: 'star' },
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

type Section = (typeof LINKS)[number]['path'];

const GROUPS = [null, 'People', 'Catalogue', 'Money', 'Running'] as const;

const of = (name: (typeof LINKS)[number]['group']) =>
  LINKS.flatMap(({ group, ...link }) => (group === name ? [link] : []));

/** The layout of an operator's page, with its navigation. */
export function operatorPage(props: {
  section: Section;
  title: string;
  content: HtmlSafeString;
}): View {
  const { section, title, content } = props;
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
      current: section,
    },
    heading: html`<h1>${title}</h1>`,
    content,
  };
}
