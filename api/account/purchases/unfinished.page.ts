// A checkout that was left behind, wherever its buyer may look for it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { UnfinishedPurchase } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import { smallButton } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';

export function unfinishedCheckout(checkout: UnfinishedPurchase, token: string): HtmlSafeString {
  const { purchaseId, productName, amountMinor, currency } = checkout;
  return html`<div data-unfinished="${purchaseId}">
    ${note({
      tone: 'warn',
      icon: 'clock',
      sentence: 'Checkout not finished.',
      more: html`<a href="/purchases/${purchaseId}">${productName}</a> for
        ${money(amountMinor, currency)} is not paid yet.`,
      actions: unfinishedActions(checkout, token),
    })}
  </div>`;
}

export function unfinishedActions(
  { purchaseId, productName: name }: Pick<UnfinishedPurchase, 'purchaseId' | 'productName'>,
  token: string,
  isMain = false,
): HtmlSafeString {
  const path = `/purchases/${purchaseId}`;
  return html`<div class="${isMain ? 'buttons' : 'actions'}">
    ${button({
      text: 'Continue',
      label: `Continue: ${name}`,
      href: `${path}/continue`,
      kind: isMain ? 'primary' : 'secondary',
      size: isMain ? 'medium' : 'small',
      mark: html`rel="nofollow"`,
    })}
    ${smallButton({
      action: `${path}/discard`,
      token,
      button: 'Discard',
      label: `Discard: ${name}`,
    })}
  </div>`;
}
