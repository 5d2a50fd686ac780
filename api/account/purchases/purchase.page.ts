import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { PurchaseView } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { openButton } from '../../html/open-product.ts';
import { describeRenewal, subscriptionPath } from '../subscriptions/renewal.page.ts';
import { writeTerms } from '../subscriptions/price-labels.ts';
import { unfinishedActions } from './unfinished.page.ts';

type Status = PurchaseView['status'];
type Words = { title: string; sentence: string };

/** Whether the page waits for the processor's word, and still looks again by itself. */
type Waiting = 'looking' | 'stopped' | null;

type Props = {
  purchase: PurchaseView;
  /** The subscription that began with it. */
  subscription: SubscriptionView | null;
  waiting: Waiting;
  /** The buyer has just left the checkout by its own link. */
  isCancelled: boolean;
  /** The buyer may use the product now. */
  hasAccess: boolean;
  openUrl: string | null;
  /** Back to the product's own site, with the purchase. */
  returnUrl: string | null;
  token: string;
};

const SENTENCES: Record<Status, Words> = {
  pending: { title: 'Waiting for your payment', sentence: "We're confirming your payment." },
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

const SUBSCRIBED = {
  title: 'Thank you',
  sentence: 'Your payment has cleared, and your subscription has started.',
};

const UNFINISHED = 'Checkout not finished';

export function purchasePage(props: Props): View {
  const { purchase } = props;
  const { title, sentence } = wordsFor(props);
  return {
    title,
    area: 'account',
    content: html`
      <article>
        <hgroup>
          <h1>${title}</h1>
          <p>${purchase.productName}</p>
        </hgroup>
        <p class="price">${formatMoney(purchase.amountMinor, purchase.currency)}</p>
        <p role="status" data-status="${purchase.status}">${sentence} ${waitingSentence(props)}</p>
        ${renewal(props)}
        ${purchase.clearedAt ? html`<p class="muted">Paid ${instant(purchase.clearedAt)}</p>` : ''}
        ${nextStep(props)}
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

function wordsFor({ purchase, subscription, waiting, isCancelled }: Props): Words {
  const { status, isUnfinished } = purchase;
  if (status === 'cleared' && subscription !== null) return SUBSCRIBED;
  if (status !== 'pending') return SENTENCES[status];
  // The checkout is over; the workflow of the purchase follows it in a moment.
  if (!isUnfinished) return SENTENCES.canceled;
  if (waiting !== null) return SENTENCES.pending;
  const left = isCancelled
    ? "You left the checkout. You weren't charged."
    : "You haven't paid yet.";
  return { title: UNFINISHED, sentence: left };
}

/** What is charged next, and when. */
function renewal({ purchase, subscription }: Props): HtmlSafeString | '' {
  if (purchase.status !== 'cleared' || subscription === null) return '';
  return html`<p data-renewal>
    ${writeTerms(subscription)}. ${describeRenewal(subscription)}
    <a href="${subscriptionPath(subscription)}">Manage subscription</a>
  </p>`;
}

function waitingSentence({ purchase, waiting }: Props): HtmlSafeString | string {
  if (waiting === 'looking') return 'This page updates automatically.';
  if (waiting === null) return '';
  return html`This page no longer updates by itself.
    <a href="/purchases/${purchase.purchaseId}?returned=yes">Check again</a>`;
}

/** One step is the main one: back to the product's site, open it, or finish paying. */
function nextStep(props: Props): HtmlSafeString | '' {
  const { purchase, waiting, hasAccess, openUrl, returnUrl, token } = props;
  const name = purchase.productName;
  if (purchase.isUnfinished) {
    return waiting === null
      ? unfinishedActions(purchase, token)
      : html`<p>
          Left without paying?
          <a href="/purchases/${purchase.purchaseId}">Go back to the checkout</a>
        </p>`;
  }
  if (purchase.status !== 'cleared' || !hasAccess) return '';
  if (returnUrl === null) return openButton({ name, openUrl });
  return html`<p>
    <a role="button" href="${returnUrl}" data-return>Continue to ${name}</a>
  </p>`;
}
