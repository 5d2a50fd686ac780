import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import { tabs } from '../../html/parts/tabs.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, POOL } from '../operator.page.ts';

export const POOL_PAYOUTS = `${POOL}/payouts`;
export const POOL_OUTCOME = `${POOL_PAYOUTS}/outcome`;
export const POOL_EXCLUSIONS = `${POOL}/exclusions`;
export const POOL_SETTINGS = `${POOL}/settings`;

const PAGES = [
  { path: POOL, label: 'Months' },
  { path: POOL_PAYOUTS, label: 'Payouts' },
  { path: POOL_EXCLUSIONS, label: 'Excluded evidence' },
  { path: POOL_SETTINGS, label: 'Share and minimum' },
] as const;

/** A page of the pool, with the way to the others. */
export function poolPage(props: {
  current: (typeof PAGES)[number]['path'];
  title: string;
  content: HtmlSafeString;
}): View {
  const { current, title, content } = props;
  return operatorPage({
    section: POOL,
    title,
    content: html`${tabs({ label: 'Creator pool', tabs: PAGES, current })} ${content}`,
  });
}

export function periodPath(periodId: string): string {
  return `${POOL}/periods/${periodId}`;
}

export const STATUS_WORDS: Record<PeriodView['status'], string> = {
  open: 'Open',
  frozen: 'Frozen',
  computed: 'Computed',
  in_review: 'In review',
  approved: 'Approved',
  paying: 'Paying',
  paid: 'Paid',
  empty: 'No charges',
};

/** `2026-11 in EUR`. */
export function periodName({ month, currency }: Pick<PeriodView, 'month' | 'currency'>): string {
  return `${month.slice(0, 7)} in ${currency}`;
}

/** The workflow's page in Temporal. */
export function workflowLink(url: string): HtmlSafeString {
  return html`<a href="${url}" rel="noreferrer">In Temporal</a>`;
}
