import { html } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { PurchaseView } from '../../../domain/billing/purchases/purchase-view.repository.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';

type Status = PurchaseView['status'];

const SENTENCES: Record<Status, { title: string; sentence: string }> = {
  pending: {
    title: 'Waiting for your payment',
    sentence: "We're confirming your payment. This page updates automatically.",
  },
  clearing: {
    title: 'Your payment is on its way',
    sentence: 'Your payment has not cleared yet. Some payment methods take several days.',
  },
  cleared: { title: 'Thank you', sentence: 'Your payment has cleared, and the product is yours.' },
  failed: { title: 'Your payment failed', sentence: "You weren't charged. You can try again." },
  canceled: { title: 'Cancelled', sentence: "This checkout has ended. You weren't charged." },
  quarantined: {
    title: "We're reviewing your payment",
    sentence: "The payment doesn't match your order. We'll refund you.",
  },
  refunded: { title: 'Refunded', sentence: 'Your payment was refunded.' },
  charged_back: { title: 'Charged back', sentence: 'Your bank reversed this payment.' },
};

export function purchasePage({ purchase }: { purchase: PurchaseView }): View {
  const { title, sentence } = SENTENCES[purchase.status];
  return {
    title,
    content: html`
      <article>
        <hgroup>
          <h1>${title}</h1>
          <p>${purchase.productName}</p>
        </hgroup>
        <p class="price">${formatMoney(purchase.amountMinor, purchase.currency)}</p>
        <p role="status" data-status="${purchase.status}">${sentence}</p>
        ${purchase.clearedAt ? html`<p class="muted">Paid ${instant(purchase.clearedAt)}</p>` : ''}
        <ul class="links">
          <li><a href="/p/${purchase.slug}">${purchase.productName}</a></li>
          <li><a href="/library">Library</a></li>
          ${purchase.hasReceipt ? html`<li><a href="/purchases/${purchase.purchaseId}/receipt">Receipt</a></li>` : ''}
        </ul>
        <p><small class="muted id">${purchase.purchaseId}</small></p>
      </article>
    `,
  };
}

/** While the processor has more to say the page looks again. */
export function refreshSeconds(status: Status): number | null {
  if (status === 'pending') return 2;
  return status === 'clearing' ? 30 : null;
}
