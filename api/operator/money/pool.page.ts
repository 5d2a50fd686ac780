import type { HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { button } from '../../html/parts/button.ts';
import { pill } from '../../html/parts/pill.ts';
import { POOL, POOL_PAYOUTS } from '../operator.page.ts';

export const POOL_OUTCOME = `${POOL_PAYOUTS}/outcome`;

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

const STATUS_TONES: Record<PeriodView['status'], Parameters<typeof pill>[0]['tone']> = {
  open: 'info',
  frozen: 'info',
  computed: 'info',
  in_review: 'warn',
  approved: 'info',
  paying: 'info',
  paid: 'ok',
  empty: 'neutral',
};

export function statusPill({ status, problem }: Pick<PeriodView, 'status' | 'problem'>) {
  const tone = problem === null ? STATUS_TONES[status] : 'bad';
  const word = problem === null ? STATUS_WORDS[status] : 'Stopped';
  return pill({ word, tone, isLive: status !== 'paid' && status !== 'empty' });
}

/** `November 2026 in EUR`. */
export function periodName({ month, currency }: Pick<PeriodView, 'month' | 'currency'>): string {
  return `${writeMonth(month)} in ${currency}`;
}

/** The workflow's page in Temporal. */
export function workflowLink(url: string): HtmlSafeString {
  return button({ text: 'Workflow in Temporal', href: url, isExternal: true });
}
