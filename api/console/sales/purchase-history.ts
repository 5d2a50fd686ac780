// What happened to a purchase, for its page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { SaleMoment } from '../../../domain/billing/purchases/sale-history.repository.ts';
import type {
  RefundLine,
  SaleDetail,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { money } from '../../html/parts/money.ts';
import { shortInstant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { timeline, type Moment } from '../../html/parts/timeline.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { describeReason, REFUND_PILLS, writeSource } from './purchase-labels.ts';

type Dated = Omit<Moment, 'at'> & { date: Date };

/** The newest first; the checkout comes before what followed at the same instant. */
export function history(sale: SaleDetail, moments: readonly SaleMoment[]): HtmlSafeString {
  const start: Dated = {
    words: 'Checkout opened',
    more: `Came from: ${writeSource(sale)}`,
    state: 'plain',
    date: sale.createdAt,
  };
  const all = [...moments.flatMap(describe), ...sale.refunds.map(refunded)];
  const sorted = all.toSorted((one, other) => other.date.getTime() - one.date.getTime());
  return timeline(
    [...sorted, start].map(({ date, ...rest }) => ({ ...rest, at: shortInstant(date) })),
  );
}

function describe({ what, at: date, ...rest }: SaleMoment): Dated[] {
  const { amountMinor, currency, status } = rest;
  const amount = amountMinor === null ? '' : money(amountMinor, currency!);
  switch (what) {
    case 'charge':
      return [{ ...charge(status, amount), date }];
    case 'dispute':
      return [{ words: html`The buyer's bank disputed ${amount}`, state: 'bad', date }];
    case 'settled':
      return [{ ...settled(status), date }];
    case 'access':
      return [{ words: 'Access opened', state: 'ok', date }];
    default:
      return [{ words: 'Access closed', state: 'plain', date }];
  }
}

type Described = Pick<Moment, 'words' | 'state'>;

function charge(status: string | null, amount: HtmlSafeString | ''): Described {
  if (status === 'failed' || status === 'canceled')
    return { words: html`Payment of ${amount} failed`, state: 'bad' };
  if (status === 'pending' || status === 'clearing')
    return { words: html`Payment of ${amount} is being processed`, state: 'ahead' };
  return { words: html`Payment of ${amount}`, state: 'ok' };
}

function settled(status: string | null): Described {
  if (status === 'lost') return { words: 'Dispute lost: the bank took it back', state: 'bad' };
  return { words: status === 'won' ? 'Dispute won' : 'Dispute closed', state: 'ok' };
}

function refunded({ createdAt: date, status, ...refund }: RefundLine): Dated {
  const by = refund.askedBy === null ? '' : ` by @${refund.askedBy}`;
  const failure = refund.failure === null ? '' : `, ${sentenceCase(refund.failure).toLowerCase()}`;
  return {
    words: html`Refund of ${money(refund.amountMinor, refund.currency)}${by}
    ${pill(REFUND_PILLS[status])}`,
    more: `${describeReason(refund.reason)}${failure}`,
    state: STATES[status],
    date,
  };
}

const STATES: Record<RefundLine['status'], Moment['state']> = {
  requested: 'ahead',
  submitted: 'ahead',
  succeeded: 'ok',
  reversed: 'bad',
  failed: 'bad',
  canceled: 'plain',
};
