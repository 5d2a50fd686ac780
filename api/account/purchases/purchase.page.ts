import { html, type HtmlSafeString } from '@prairielearn/html';
import { MINUTE_MS } from '../../../domain/shared/instant.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { PurchaseView } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { appIcon } from '../../html/emblems.ts';
import { instant } from '../../html/dates.ts';
import { icon } from '../../html/icon.ts';
import { openButton } from '../../html/open-product.ts';
import { button } from '../../html/parts/button.ts';
import { describeRenewal } from '../subscriptions/renewal-labels.ts';
import { subscriptionPath } from '../subscriptions/renewal.page.ts';
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
  /** The address that the receipt is sent to. */
  email: string;
  now: Date;
  token: string;
};

const SENTENCES: Record<Exclude<Status, 'cleared'>, Words> = {
  pending: { title: 'Waiting for your payment', sentence: "We're confirming your payment." },
  clearing: {
    title: 'Your payment is on its way',
    sentence: 'Your payment has not cleared yet. Some payment methods take several days.',
  },
  failed: { title: 'Your payment failed', sentence: "You weren't charged. You can try again." },
  canceled: { title: 'Cancelled', sentence: "This checkout has ended. You weren't charged." },
  quarantined: {
    title: "We're reviewing your payment",
    sentence: "The payment doesn't match your order. We'll refund you.",
  },
  refunded: { title: 'Refunded', sentence: 'Your payment was refunded.' },
  charged_back: { title: 'Charged back', sentence: 'Your bank reversed this payment.' },
};

/** How long the mail with the receipt may take. */
const MAIL_MS = 10 * MINUTE_MS;

const UNFINISHED = 'Checkout not finished';

/** The page that the checkout leads back to, and of the purchase ever after. */
export function purchasePage(props: Props): View {
  const { purchase } = props;
  const { title, sentence } = wordsFor(props);
  const { slug, productName: name, iconHash, status, purchaseId } = purchase;
  return {
    title,
    area: 'account',
    section: 'library',
    content: html`
      <div class="narrow thanks">
        ${appIcon({ slug, name, iconHash }, 92)}
        <h1>${title}</h1>
        <p class="lede" role="status" data-status="${status}">
          ${sentence} ${waitingSentence(props)}
        </p>
        ${nextStep(props)} ${progress(props)} ${renewal(props)} ${reference(purchase)}
      </div>
      <div class="below ends">
        ${
          purchase.hasReceipt
            ? html`<a href="/purchases/${purchaseId}/receipt">See the receipt</a>`
            : html`<a href="/p/${slug}">${name}</a>`
        }
        ${isOnlyInLibrary(props) ? '' : html`<a href="/library">Go to your library</a>`}
      </div>
    `,
  };
}

function wordsFor(props: Props): Words {
  const { purchase, subscription, waiting, isCancelled, email } = props;
  const { status, isUnfinished, productName } = purchase;
  const amount = formatMoney(purchase.amountMinor, purchase.currency);
  if (status === 'cleared') {
    const mailed = isReceiptUnderWay(props) ? ` The receipt is on its way to ${email}.` : '';
    const title =
      subscription === null ? `${productName} is yours` : `Your subscription to ${productName}`;
    return { title, sentence: `Paid ${amount}.${mailed}` };
  }
  const withAmount = ({ title, sentence }: Words) => ({
    title,
    sentence: `${productName}, ${amount}. ${sentence}`,
  });
  if (status !== 'pending') return withAmount(SENTENCES[status]);
  // The checkout is over; the workflow of the purchase follows it in a moment.
  if (!isUnfinished) return withAmount(SENTENCES.canceled);
  if (waiting !== null) return withAmount(SENTENCES.pending);
  const left = isCancelled
    ? "You left the checkout. You weren't charged."
    : "You haven't paid yet.";
  return withAmount({ title: UNFINISHED, sentence: left });
}

/** Later on, the link of the receipt says enough. */
function isReceiptUnderWay({ purchase: { hasReceipt, clearedAt }, now }: Props): boolean {
  return hasReceipt && clearedAt !== null && now.getTime() - clearedAt.getTime() < MAIL_MS;
}

/** The product may be used, and nothing else leads to it. */
function isOnlyInLibrary({ purchase, hasAccess, openUrl, returnUrl }: Props): boolean {
  const isReady = purchase.status === 'cleared' && hasAccess;
  return isReady && openUrl === null && returnUrl === null;
}

const STEPS = ['done', 'now', 'later'] as const;
type Step = { name: string; more: HtmlSafeString | string; state: (typeof STEPS)[number] };

/** How far the payment and the access are. */
function progress({ purchase, subscription, waiting, hasAccess }: Props): HtmlSafeString | '' {
  const { status, clearedAt } = purchase;
  if (status !== 'cleared' && waiting === null) return '';
  const isCleared = status === 'cleared' && clearedAt !== null;
  const open = subscription === null ? 'Without an end' : 'While you subscribe';
  const steps: Step[] = [
    {
      name: isCleared ? 'Payment cleared' : 'Payment clearing',
      more: isCleared ? instant(clearedAt) : 'Not yet',
      state: isCleared ? 'done' : 'now',
    },
    {
      name: hasAccess ? 'Access open' : 'Access',
      more: hasAccess ? open : isCleared ? 'Not open now' : 'Opens when it has cleared',
      state: hasAccess ? 'done' : 'later',
    },
  ];
  return html`<ul class="progress">
    ${steps.map(
      ({ name, more, state }) =>
        html`<li class="${state}">
          ${icon(state === 'done' ? 'circle-check' : state === 'now' ? 'clock' : 'circle-dashed', 18)}
          <span>${name}</span> <small>${more}</small>
        </li>`,
    )}
  </ul>`;
}

/** What is charged next, and when. */
function renewal({ purchase, subscription }: Props): HtmlSafeString | '' {
  if (purchase.status !== 'cleared' || subscription === null) return '';
  return html`<p class="lede" data-renewal>
    ${writeTerms(subscription)}. ${describeRenewal(subscription)}
    <a href="${subscriptionPath(subscription)}">Manage subscription</a>
  </p>`;
}

/** What the buyer names to the maker or to us; a receipt has it too. */
function reference({ hasReceipt, purchaseId }: PurchaseView): HtmlSafeString | '' {
  if (hasReceipt) return '';
  return html`<p class="hint" data-reference>Payment <code class="id">${purchaseId}</code></p>`;
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
      ? unfinishedActions(purchase, token, true)
      : html`<p class="lede">
          Left without paying?
          <a href="/purchases/${purchase.purchaseId}">Go back to the checkout</a>
        </p>`;
  }
  if (purchase.status === 'failed' || purchase.status === 'canceled') {
    return button({ text: `Back to ${name}`, href: `/p/${purchase.slug}`, size: 'large' });
  }
  if (purchase.status !== 'cleared' || !hasAccess) return '';
  if (isOnlyInLibrary(props)) {
    return html`${openButton({ name, openUrl })}
    ${button({ text: 'Go to your library', href: '/library', kind: 'primary', size: 'large' })}`;
  }
  if (returnUrl === null) return openButton({ name, openUrl });
  return button({
    text: `Continue to ${name}`,
    href: returnUrl,
    kind: 'primary',
    size: 'large',
    isExternal: true,
    mark: html`data-return`,
  });
}
