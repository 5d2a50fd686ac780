import { html } from '@prairielearn/html';
import { formatMoney } from '../../domain/platform/money.ts';
import type { PurchaseLine } from '../../domain/selling/purchase-view.store.ts';
import { settingsPage } from '../identity/settings/settings.page.ts';
import type { View } from '../route.ts';
import { emptyState } from '../views/forms.ts';
import { instant } from '../views/layout.ts';

export const MY_PURCHASES = '/settings/purchases';

const STATUSES: Record<PurchaseLine['status'], string> = {
  pending: 'Waiting for the payment',
  clearing: 'On its way',
  cleared: 'Paid',
  failed: 'Failed',
  canceled: 'Not bought',
  quarantined: 'Being looked into',
  refunded: 'Refunded',
  charged_back: 'Charged back',
};

export function myPurchasesPage(props: { purchases: PurchaseLine[]; hasMore: boolean }): View {
  const { purchases, hasMore } = props;
  const last = purchases.at(-1);
  const content =
    purchases.length === 0
      ? emptyState('You have not bought anything yet.', { path: '/', label: 'To the store' })
      : html`<ul class="rows">
            ${purchases.map(row)}
          </ul>
          ${hasMore && last ? html`<p><a href="${MY_PURCHASES}?before=${last.purchaseId}">Older</a></p>` : ''}`;
  return settingsPage({ path: MY_PURCHASES, content });
}

function row(purchase: PurchaseLine) {
  const { purchaseId, status, amountMinor, currency, createdAt, productName } = purchase;
  return html`<li>
    <span>
      <a href="/purchases/${purchaseId}">${productName}</a><br />
      <small class="muted">${instant(createdAt)}</small>
    </span>
    <span
      >${formatMoney(amountMinor, currency)} <small class="muted">${STATUSES[status]}</small></span
    >
  </li>`;
}
