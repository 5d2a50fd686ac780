import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { PRICE_SENTENCE } from '../../../domain/billing/receipts/receipt.ts';
import type { View } from '../../http/route.ts';
import { day, instant } from '../../html/layout.ts';

/** The refunds and disputes since the receipt. */
export type Fate = 'returned' | 'taken_back' | 'part_returned' | null;

type ShownReceipt = {
  reference: string;
  productName: string;
  sellerName: string;
  grossMinor: number;
  currency: string;
  issuedAt: Date;
  /** Is null for a one-time purchase. */
  periodStart: Date | null;
  periodEnd: Date | null;
  fate: Fate;
};

type Props = {
  receipt: ShownReceipt;
  buyer: Pick<CurrentUser, 'displayName' | 'email'>;
  back: { path: string; label: string };
};

/**
 * Shows the receipt for the eye and for paper: on paper only the receipt itself is left of the
 * page.
 */
export function receiptPage({ receipt, buyer, back }: Props): View {
  const { reference, productName, sellerName, grossMinor, currency, issuedAt } = receipt;
  return {
    title: `Receipt for ${productName}`,
    area: 'account',
    content: html`
      <p class="trail no-print"><a href="${back.path}">${back.label}</a></p>
      <article class="receipt">
        <h1>Receipt</h1>
        <dl class="facts">
          <dt>Product</dt>
          <dd>${productName}</dd>
          <dt>Sold by</dt>
          <dd>${sellerName === 'Gatehouse' ? sellerName : `${sellerName}, through Gatehouse`}</dd>
          <dt>Bought by</dt>
          <dd>${buyer.displayName}<br /><span class="id">${buyer.email}</span></dd>
          <dt>Paid</dt>
          <dd>${instant(issuedAt)}</dd>
          ${period(receipt)}
          <dt>Payment reference</dt>
          <dd class="id">${reference}</dd>
          <dt>Total</dt>
          <dd><strong class="amount">${formatMoney(grossMinor, currency)}</strong></dd>
        </dl>
        <p>${PRICE_SENTENCE}</p>
        ${receipt.fate === null ? '' : html`<p class="notice" role="status">${FATES[receipt.fate]}</p>`}
      </article>
      <p class="no-print muted">Print this page to keep a paper or PDF copy.</p>
    `,
  };
}

function period({ periodStart, periodEnd }: ShownReceipt): HtmlSafeString | '' {
  if (periodStart === null || periodEnd === null) return '';
  return html`<dt>Period</dt>
    <dd>${day(periodStart)} to ${day(periodEnd)}</dd>`;
}

const FATES = {
  returned: 'Fully refunded.',
  taken_back: 'Charged back by your bank.',
  part_returned: 'Partially refunded.',
} as const;
