// A checkout that was left behind, wherever its buyer may look for it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { UnfinishedPurchase } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { smallButton } from '../../html/form.ts';

export function unfinishedCheckout(checkout: UnfinishedPurchase, token: string): HtmlSafeString {
  const { purchaseId, productName, amountMinor, currency } = checkout;
  return html`<div class="notice unfinished" data-unfinished="${purchaseId}">
    <p>
      <a href="/purchases/${purchaseId}">Checkout not finished</a>: <strong>${productName}</strong>,
      <span class="amount">${formatMoney(amountMinor, currency)}</span>
    </p>
    ${unfinishedActions(checkout, token)}
  </div>`;
}

export function unfinishedActions(
  { purchaseId, productName: name }: Pick<UnfinishedPurchase, 'purchaseId' | 'productName'>,
  token: string,
): HtmlSafeString {
  const path = `/purchases/${purchaseId}`;
  return html`<div class="actions">
    <a role="button" href="${path}/continue" rel="nofollow" aria-label="Continue: ${name}"
      >Continue</a
    >
    ${smallButton({ action: `${path}/discard`, token, button: 'Discard', label: `Discard: ${name}` })}
  </div>`;
}
