import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { sections } from '../html/section-nav.ts';

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

const SECTIONS = [
  { path: OPERATOR, label: 'Overview' },
  { path: BUILDERS, label: 'Builders' },
  { path: PRODUCTS, label: 'Products' },
  { path: SEALS, label: 'Quality seals' },
  { path: POOL, label: 'Creator pool' },
  { path: MONEY, label: 'Fee and currencies' },
  { path: MEMBER_PRICES, label: 'Member' },
  { path: FIRST_PARTY, label: 'First-party clients' },
  { path: AUDIT, label: 'Audit trail' },
  { path: ALERTS, label: 'Alerts' },
  { path: EVENTS, label: 'Unprocessed events' },
  { path: MESSAGES, label: 'Failed jobs' },
  { path: WORKFLOWS, label: 'Workflows' },
] as const;

type Section = (typeof SECTIONS)[number]['path'];

/** The layout of an operator's page, with its navigation. */
export function operatorPage(props: {
  section: Section;
  title: string;
  content: HtmlSafeString;
}): View {
  const { section, title, content } = props;
  return {
    title,
    content: html`
      ${sections({ label: 'Operator', sections: SECTIONS, current: section })}
      <h1>${title}</h1>
      ${content}
    `,
  };
}
