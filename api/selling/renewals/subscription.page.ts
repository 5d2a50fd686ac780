import { html } from '@prairielearn/html';
import { formatMoney } from '../../../domain/platform/money.ts';
import type { ChargeReceiptPage } from '../../../domain/selling/renewals/charge-receipt.store.ts';
import type { SubscriptionView } from '../../../domain/selling/subscriptions/subscription-view.store.ts';
import type { View } from '../../route.ts';
import { confirmation } from '../../views/forms.ts';
import { notice } from '../../views/notices.ts';
import { MY_PURCHASES } from '../my-purchases-path.ts';
import {
  PER,
  receiptList,
  renewalActions,
  sentenceOf,
  STILL_TRIED,
  subscriptionPath,
} from './renewal.page.ts';

type Props = {
  subscription: SubscriptionView;
  receipts: ChargeReceiptPage;
  before: string | null;
  token: string;
  notice: unknown;
};

export function subscriptionPage(props: Props): View {
  const { subscription, receipts, before, token } = props;
  const { productName, slug, amountMinor, currency, billingInterval, purchaseId } = subscription;
  const path = subscriptionPath(subscription);
  return {
    title: `Subscription to ${productName}`,
    content: html`
      <p class="trail"><a href="/library">Library</a> - <a href="${MY_PURCHASES}">Purchases</a></p>
      <article data-status="${subscription.status}">
        <hgroup>
          <h1>${productName}</h1>
          <p>Subscription</p>
        </hgroup>
        ${notice(props.notice)}
        <p class="price">${formatMoney(amountMinor, currency)} ${PER[billingInterval]}</p>
        <p role="status">${sentenceOf(subscription)}</p>
        ${renewalActions({ standing: subscription, path, name: productName, token })}
        <p>
          <a href="/p/${slug}">${productName}</a> -
          <a href="/purchases/${purchaseId}">First payment</a>
        </p>
        <p><small class="muted id">${subscription.subscriptionId}</small></p>
      </article>
      ${receiptList({ page: receipts, path, before, firstPath: `/purchases/${purchaseId}/receipt` })}
    `,
  };
}

/** Asks before anything is cancelled. */
export function cancellationPage(subscription: SubscriptionView, token: string): View {
  const { productName, periodEnd, graceEndsAt } = subscription;
  const path = subscriptionPath(subscription);
  const end = graceEndsAt ?? periodEnd;
  const until = end === null ? 'the end of what is paid for' : end.toISOString().slice(0, 10);
  const sentences =
    graceEndsAt === null
      ? [
          `You keep ${productName} until ${until}, and nothing more is charged.`,
          'Until then you can resume it at any time.',
        ]
      : [`You keep ${productName} until ${until}.`, STILL_TRIED];
  return {
    title: `Cancel ${productName}`,
    content: html`<div class="slim">
      <h1>Cancel ${productName}</h1>
      ${confirmation({
        action: `${path}/cancel`,
        token,
        button: 'Cancel the subscription',
        sentences,
        wayOut: { path, label: 'Keep it' },
      })}
    </div>`,
  };
}
