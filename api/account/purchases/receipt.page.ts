import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { PRICE_SENTENCE } from '../../../domain/billing/receipts/receipt.ts';
import type { View } from '../../http/route.ts';
import { appIcon, MARK } from '../../html/emblems.ts';
import { icon } from '../../html/icon.ts';
import { trail } from '../../html/parts/page-head.ts';
import { day, instant } from '../../html/dates.ts';
import { money } from '../../html/parts/money.ts';
import { purchasePill, type PurchaseState } from '../../html/status-pills.ts';

type ShownReceipt = {
  reference: string;
  productName: string;
  /** Is null for Member. */
  slug: string | null;
  iconHash: string | null;
  sellerName: string;
  grossMinor: number;
  currency: string;
  issuedAt: Date;
  /** Is null for a one-time purchase. */
  periodStart: Date | null;
  periodEnd: Date | null;
  /** The refunds and disputes since the receipt. */
  state: PurchaseState;
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
  const { reference, productName, sellerName, grossMinor, currency, issuedAt, state } = receipt;
  const { slug, iconHash } = receipt;
  return {
    title: `Receipt for ${productName}`,
    area: 'account',
    hasCopyButtons: true,
    content: html`
      ${trail(
        [back, { label: 'Receipt' }],
        html`<small>Print this page, or save it as PDF.</small>
          <button type="button" class="small" data-print hidden>${icon('printer')}Print</button>`,
      )}
      <div class="card receipt">
        <div class="receipt-head">
          <span class="brand">${MARK}Gatehouse</span>
          ${purchasePill(state)}
        </div>
        <div class="receipt-head">
          <div>
            <h1>Receipt</h1>
            <p>${instant(issuedAt)}</p>
          </div>
          <p class="reference">
            <span>Payment</span>
            <code class="id">${reference}</code>
          </p>
        </div>
        <dl class="parties">
          <div>
            <dt>Sold by</dt>
            <dd>${sellerName}</dd>
            ${sellerName === 'Gatehouse' ? '' : html`<dd>through Gatehouse</dd>`}
          </div>
          <div>
            <dt>Bought by</dt>
            <dd>${buyer.displayName}</dd>
            <dd class="id">${buyer.email}</dd>
          </div>
          ${period(receipt)}
        </dl>
        <div class="line">
          ${slug === null ? '' : appIcon({ slug, name: productName, iconHash }, 34)}
          <p><strong>${productName}</strong></p>
          ${money(grossMinor, currency)}
        </div>
        <div class="line total">
          <p>Total</p>
          ${money(grossMinor, currency)}
        </div>
        <p class="hint">${PRICE_SENTENCE}</p>
      </div>
    `,
  };
}

function period({ periodStart, periodEnd }: ShownReceipt): HtmlSafeString | '' {
  if (periodStart === null || periodEnd === null) return '';
  return html`<div>
    <dt>Period</dt>
    <dd>${day(periodStart)} to ${day(periodEnd)}</dd>
  </div>`;
}
