import { html } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { PurchaseView } from '../../../domain/billing/purchases/purchase-view.repository.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';

type Status = PurchaseView['status'];

const SENTENCES: Record<Status, { title: string; sentence: string }> = {
  pending: {
    title: 'Waiting for your payment',
    sentence: 'We have not heard of a payment yet. This page looks again by itself.',
  },
  clearing: {
    title: 'Your payment is on its way',
    sentence: 'It has not cleared yet; with some ways of paying this takes days.',
  },
  cleared: { title: 'Thank you', sentence: 'Your payment has cleared, and the product is yours.' },
  failed: { title: 'Your payment failed', sentence: 'Nothing was charged. You may try again.' },
  canceled: { title: 'Not bought', sentence: 'This checkout has ended. Nothing was charged.' },
  quarantined: {
    title: 'We are looking into your payment',
    sentence: 'It does not match what was agreed. You will get it back.',
  },
  refunded: { title: 'Refunded', sentence: 'Your payment was returned to you.' },
  charged_back: { title: 'Charged back', sentence: 'Your bank has taken the payment back.' },
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
        ${purchase.clearedAt ? html`<p class="muted">Cleared ${instant(purchase.clearedAt)}</p>` : ''}
        <p>
          <a href="/p/${purchase.slug}">${purchase.productName}</a> - <a href="/library">Library</a>
          ${purchase.hasReceipt ? html`- <a href="/purchases/${purchase.purchaseId}/receipt">Receipt</a>` : ''}
        </p>
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
