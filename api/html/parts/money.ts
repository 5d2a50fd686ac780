import { html, type HtmlSafeString } from '@prairielearn/html';
import { groupAmount } from '../../../domain/shared/money.ts';

/** An amount with its currency small beside it: `1,204.50 USD`. Amounts of two currencies are never added. */
export function money(amountMinor: number, currency: string): HtmlSafeString {
  const amount = groupAmount(amountMinor, currency);
  return html`<span class="money">${amount} <small>${currency}</small></span>`;
}
