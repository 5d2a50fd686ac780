import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { RefundLine, SaleLine } from '../../../domain/billing/purchases/sale.repository.ts';
import {
  REFUND_REASONS,
  type RefundReason,
} from '../../../domain/billing/refunds/refund-status.ts';
import { productPath } from '../console-frame.ts';

export function purchasesPath(slug: string): string {
  return `${productPath(slug)}/purchases`;
}

export function saleMark({ status, refundedMinor }: SaleLine): HtmlSafeString {
  const words =
    status === 'cleared' && refundedMinor > 0 ? 'refunded in part' : status.replaceAll('_', ' ');
  return html`<span data-state="${status}">${words}</span>`;
}

export function priceOf({ amountMinor, currency }: { amountMinor: number; currency: string }) {
  return formatMoney(amountMinor, currency);
}

const REFUND_WORDS: Record<RefundLine['status'], string> = {
  requested: 'asked for',
  submitted: 'on its way',
  succeeded: 'made',
  reversed: 'failed late: the money came back',
  failed: 'failed',
  canceled: 'canceled: the payment did not come',
};

export function refundMark({ status, failure }: RefundLine): HtmlSafeString {
  return html`<span data-state="${status}">${REFUND_WORDS[status]}</span>
    ${failure === null ? '' : html`<small class="muted">${failure}</small>`}`;
}

export function describeReason(reason: string | null): string {
  if (reason === null) return 'Made at the payment processor';
  if (reason === 'not_as_agreed') return 'Not what was agreed, sent back by itself';
  return Object.hasOwn(REFUND_REASONS, reason) ? REFUND_REASONS[reason as RefundReason] : reason;
}
