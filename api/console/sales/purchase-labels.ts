import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type {
  RefundLine,
  SaleLine,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import type { IntentReason } from '../../../domain/billing/refunds/refund-status.ts';
import { PURCHASE_WORDS } from '../../html/status-labels.ts';
import { productPath } from '../console-frame.ts';

export function purchasesPath(slug: string): string {
  return `${productPath(slug)}/purchases`;
}

export function saleMark({ status, refundedMinor }: SaleLine): HtmlSafeString {
  const isPartlyRefunded = status === 'cleared' && refundedMinor > 0;
  const words = isPartlyRefunded ? 'Paid, partially refunded' : PURCHASE_WORDS[status];
  return html`<span data-state="${status}">${words}</span>`;
}

export function writePrice({ amountMinor, currency }: { amountMinor: number; currency: string }) {
  return formatMoney(amountMinor, currency);
}

const REFUND_WORDS: Record<RefundLine['status'], string> = {
  requested: 'Requested',
  submitted: 'In progress',
  succeeded: 'Refunded',
  reversed: 'Failed later, money returned to you',
  failed: 'Failed',
  canceled: 'Cancelled, payment not received',
};

export function refundMark({ status, failure }: RefundLine): HtmlSafeString {
  return html`<span data-state="${status}">${REFUND_WORDS[status]}</span>
    ${failure === null ? '' : html`<small class="muted">${failure}</small>`}`;
}

export const REASON_WORDS: Record<IntentReason, string> = {
  requested_by_customer: 'Requested by the buyer',
  duplicate: 'Paid twice',
  fraudulent: 'Not paid by the owner of the card',
  not_as_agreed: 'Refunded automatically, amount differs from the order',
};

export function describeReason(reason: string | null): string {
  if (reason === null) return 'Refunded at the payment processor';
  return Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason as IntentReason] : reason;
}
