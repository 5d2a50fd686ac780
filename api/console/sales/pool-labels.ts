// The creator pool of a product in words, for its pages.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { LineState } from '../../../domain/pool/payout-lines/line-state.ts';
import type {
  PoolLineView,
  ProductPeriod,
} from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { money } from '../../html/parts/money.ts';
import { day, instant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { PAYOUTS } from '../../html/status-pills.ts';
import { addUp } from '../../html/numbers.ts';
import { productPath } from '../console-frame.ts';

export function poolPath(slug: string): string {
  return `${productPath(slug)}/pool`;
}

/** What happens to the money of a line next, and what its owner can do. */
export function describePayout(
  { state, money }: PoolLineView,
  { slug }: { slug: string },
): HtmlSafeString | string {
  const payouts = html`<a href="${productPath(slug)}/selling#payouts">Payouts</a>`;
  switch (state) {
    case 'in_review':
      return 'In review.';
    case 'payable':
      return 'Payable. The transfer is being prepared.';
    case 'under_review':
      return 'Held while operators review the product. Nothing is lost: it is paid with a later month.';
    case 'unconfirmed':
      return 'Held until an operator confirms your first payout. It is paid with a later month.';
    case 'released':
      return 'No longer held. It is paid with the next month.';
    case 'below_minimum':
      return money !== null && money.amountMinor < 0
        ? 'Carried over. It is taken off what later months pay.'
        : 'Below the minimum of a payout, together with all else that is due to you. Carried over.';
    case 'no_account':
      return html`Carried over: no payout account could receive it. Connect one under ${payouts}.`;
    case 'paying':
      return sent(money?.payout?.nextAttemptAt ?? null);
    case 'paid':
      return paid(money?.payout ?? null);
    case 'failed':
      return html`The transfer failed. Carried over to the next month. Check ${payouts}.`;
  }
}

function sent(nextAttemptAt: Date | null): HtmlSafeString | string {
  if (nextAttemptAt === null) return 'The transfer is on its way.';
  return html`The transfer has not succeeded yet. The next attempt is at ${instant(nextAttemptAt)}.`;
}

type PayoutFacts = { transferId: string | null; paidAt: Date | null } | null;

function paid(payout: PayoutFacts): HtmlSafeString {
  const { paidAt = null, transferId = null } = payout ?? {};
  return html`Paid${paidAt === null ? '' : html` on ${day(paidAt)}`}${
    transferId === null ? '' : html`, transfer <code>${transferId}</code>`
  }.`;
}

/** The sum of a month's lines of one sort; null while it is in review or without such a line. */
export function sumLines({ lines }: ProductPeriod, isCorrection: boolean): number | null {
  const found = lines.filter((line) => line.isCorrection === isCorrection);
  if (found.length === 0 || found.some(({ money }) => money === null)) return null;
  return addUp(found, ({ money }) => money!.amountMinor);
}

/** An amount, or a dash while it is not known. */
export function moneyOrDash(amountMinor: number | null, currency: string): HtmlSafeString | string {
  return amountMinor === null ? '–' : money(amountMinor, currency);
}

const LINES: Record<LineState, Parameters<typeof pill>[0]> = {
  in_review: { word: 'In review', tone: 'info' },
  payable: { word: 'Payable', tone: 'info' },
  under_review: { word: 'Held', tone: 'warn' },
  unconfirmed: { word: 'Held', tone: 'warn' },
  released: { word: 'Next month', tone: 'info' },
  below_minimum: { word: 'Carried over', tone: 'neutral' },
  no_account: { word: 'Carried over', tone: 'warn' },
  ...PAYOUTS,
};

export function linePill(state: LineState): HtmlSafeString {
  return pill(LINES[state]);
}
