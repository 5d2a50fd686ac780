import { html, type HtmlSafeString } from '@prairielearn/html';
import { writeCsv, type Columns } from '../../http/csv.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import type { Subscriber } from '../../../domain/billing/reports/subscriber-list.repository.ts';
import { pill } from '../../html/parts/pill.ts';
import { instant } from '../../html/dates.ts';
import { productPath } from '../console-frame.ts';

export function subscribersPath(slug: string): string {
  return `${productPath(slug)}/subscribers`;
}

/** The statuses of a subscription after its first payment. */
export const SHOWN_STATUSES = ['active', 'past_due', 'canceling', 'ended'] as const;

export const STATUS_WORDS: Record<Subscriber['status'], string> = {
  incomplete: 'Not started',
  active: 'Active',
  past_due: 'Payment failed',
  canceling: 'Ending',
  ended: 'Ended',
};

const TONES: Record<Subscriber['status'], Parameters<typeof pill>[0]['tone']> = {
  incomplete: 'neutral',
  active: 'ok',
  past_due: 'bad',
  canceling: 'warn',
  ended: 'neutral',
};

export function statusMark({ status }: Subscriber): HtmlSafeString {
  return pill({ word: STATUS_WORDS[status], tone: TONES[status] });
}

type Renewing = Pick<
  Subscriber,
  'status' | 'requestedChange' | 'periodEnd' | 'graceEndsAt' | 'cancelAt' | 'endedAt'
>;

/** The next event of the subscription, or the reason of its end. */
export function aheadOf(renewing: Renewing): HtmlSafeString | string {
  const { status, requestedChange, periodEnd, graceEndsAt, cancelAt, endedAt } = renewing;
  if (status === 'ended') {
    return html`Ended ${instant(endedAt!)}${graceEndsAt === null ? '' : ', unpaid'}`;
  }
  if (requestedChange === 'cancel') return 'Cancelling...';
  if (requestedChange === 'resume') return 'Resuming...';
  if (status === 'past_due') return html`Grace period ends ${instant(graceEndsAt!)}`;
  if (status === 'canceling' && graceEndsAt !== null) {
    return html`Ends ${instant(graceEndsAt)} unless paid`;
  }
  if (status === 'canceling') return html`Ends ${instant(cancelAt!)}`;
  return periodEnd === null ? '' : html`Renews ${instant(periodEnd)}`;
}

const write = (at: Date | null) => at?.toISOString() ?? null;

const COLUMNS: Columns<Subscriber> = {
  subscription_id: ({ subscriptionId }) => subscriptionId,
  purchase_id: ({ purchaseId }) => purchaseId,
  handle: ({ handle }) => handle,
  status: ({ status }) => status,
  amount: ({ amountMinor, currency }) => ({ exact: writeAmount(amountMinor, currency) }),
  amount_minor: ({ amountMinor }) => amountMinor,
  currency: ({ currency }) => currency,
  interval: ({ billingInterval }) => billingInterval,
  began_utc: ({ beganAt }) => write(beganAt),
  paid_until_utc: ({ periodEnd }) => write(periodEnd),
  grace_ends_utc: ({ graceEndsAt }) => write(graceEndsAt),
  cancels_utc: ({ cancelAt }) => write(cancelAt),
  ended_utc: ({ endedAt }) => write(endedAt),
};

export function writeSubscribers(batches: AsyncIterable<Subscriber[]>) {
  return writeCsv(batches, COLUMNS);
}
