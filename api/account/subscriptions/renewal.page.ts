// The parts that the pages of product subscriptions and of Member share.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  ChargeReceipt,
  ChargeReceiptPage,
} from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { smallButton } from '../../html/form.ts';
import { day } from '../../html/dates.ts';
import { button as link } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { purchasePill } from '../../html/status-pills.ts';
import { paging } from '../../html/parts/paging.ts';

export const subscriptionPath = ({ subscriptionId }: Pick<SubscriptionView, 'subscriptionId'>) =>
  `/subscriptions/${subscriptionId}`;

/** The processor has more to say of it: of a first payment, of a change request, of another card. */
export function isAwaited(
  { status, requestedChange }: Pick<SubscriptionView, 'status' | 'requestedChange'>,
  returned: unknown,
): boolean {
  const isMended = status === 'past_due' && returned === 'card';
  return status === 'incomplete' || requestedChange !== null || isMended;
}

type RenewalControls = {
  shown: Pick<SubscriptionView, 'status' | 'requestedChange' | 'graceEndsAt'>;
  path: string;
  /** The subscription's name in the accessible names of its buttons. */
  name: string;
  token: string;
  /** Shows the mend of a failed payment alone: the rest stands on a page of its own. */
  isShort?: boolean;
};

export function renewalActions(controls: RenewalControls): HtmlSafeString | '' {
  const { shown, path, name, token, isShort = false } = controls;
  const { status, requestedChange, graceEndsAt } = shown;
  if (status === 'ended') return '';
  const isCancelled =
    requestedChange === 'cancel' || (status === 'canceling' && requestedChange !== 'resume');
  const canResume = isCancelled && graceEndsAt === null;
  const button = (change: string, words: string, isMain = false) =>
    smallButton({
      action: `${path}/${change}`,
      token,
      button: words,
      label: `${words}: ${name}`,
      isMain,
    });
  return html`<div class="actions">
    ${canResume ? button('resume', 'Resume', true) : ''}
    ${button('card', 'Update card', status === 'past_due')}
    ${
      isCancelled || (isShort && status === 'past_due')
        ? ''
        : link({ text: 'Cancel', label: `Cancel: ${name}`, href: `${path}/cancel`, size: 'small' })
    }
  </div>`;
}

type Receipts = {
  page: ChargeReceiptPage;
  path: string;
  before: string | null;
  /** The receipt of a first payment that stands with its purchase. */
  firstPath: string | null;
};

/** Each period that was paid for, the latest first. */
export function receiptList({ page, path, before, firstPath }: Receipts): HtmlSafeString | '' {
  const { receipts, next } = page;
  const first = next === null ? firstPath : null;
  if (receipts.length === 0 && first === null) return '';
  return html`<section id="receipts">
    ${card({
      title: 'Receipts',
      rows: html`<ul class="rows">
        ${receipts.map(receiptRow)}
        ${
          first === null
            ? ''
            : html`<li>
                <span><a href="${first}">Receipt for the first payment</a></span>
              </li>`
        }
      </ul>`,
    })}
    ${paging({ path, before, next })}
  </section>`;
}

function receiptRow(receipt: ChargeReceipt): HtmlSafeString {
  const { paymentId, grossMinor, currency, periodStart, periodEnd, status, isTakenBack } = receipt;
  return html`<li data-receipt="${paymentId}">
    <span><a href="/receipts/${paymentId}">${day(periodStart)} to ${day(periodEnd)}</a></span>
    <span class="row-end">
      ${status === 'refunded' ? purchasePill({ status: isTakenBack ? 'charged_back' : 'refunded' }) : ''}
      ${money(grossMinor, currency)}
    </span>
  </li>`;
}
