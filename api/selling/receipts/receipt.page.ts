import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Visitor } from '../../domain/identity/identity.store.ts';
import { formatMoney } from '../../domain/platform/money.ts';
import { TAX_SENTENCE } from '../../domain/selling/purchases/receipt.ts';
import type { ReceiptView } from '../../domain/selling/purchases/receipt.store.ts';
import type { View } from '../route.ts';
import { instant } from '../views/layout.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';

type Props = { receipt: ReceiptView; buyer: Pick<Visitor, 'displayName' | 'email'> };

/** For the eye and for paper: on paper only the receipt itself is left of the page. */
export function receiptPage({ receipt, buyer }: Props): View {
  const { purchaseId, productName, sellerName, grossMinor, currency, issuedAt } = receipt;
  return {
    title: `Receipt for ${productName}`,
    content: html`
      <p class="trail no-print"><a href="${MY_PURCHASES}">Purchases</a></p>
      <article class="receipt" data-status="${receipt.status}">
        <h1>Receipt</h1>
        <dl class="facts">
          <dt>Product</dt>
          <dd>${productName}</dd>
          <dt>Sold by</dt>
          <dd>${sellerName}, through Gatehouse</dd>
          <dt>Bought by</dt>
          <dd>${buyer.displayName}<br /><span class="id">${buyer.email}</span></dd>
          <dt>Paid</dt>
          <dd>${instant(issuedAt)}</dd>
          <dt>Payment reference</dt>
          <dd class="id">${purchaseId}</dd>
          <dt>Total</dt>
          <dd><strong class="amount">${formatMoney(grossMinor, currency)}</strong></dd>
        </dl>
        <p>${TAX_SENTENCE}</p>
        ${returned(receipt)}
      </article>
      <p class="no-print muted">To keep it on paper or as a PDF, print this page.</p>
    `,
  };
}

/** What became of the money since. */
function returned({ status, paymentStatus }: ReceiptView): HtmlSafeString | '' {
  const sentence =
    status === 'refunded'
      ? 'This payment was returned to you in full.'
      : status === 'charged_back'
        ? 'Your bank has taken this payment back.'
        : paymentStatus === 'partially_refunded'
          ? 'A part of this payment was returned to you.'
          : null;
  return sentence === null ? '' : html`<p class="notice" role="status">${sentence}</p>`;
}
