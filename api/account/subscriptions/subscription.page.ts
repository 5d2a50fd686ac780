import { html } from '@prairielearn/html';
import type { ChargeReceiptPage } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { MY_PURCHASES } from '../purchases/my-purchases-path.ts';
import { receiptList, renewalActions, describeRenewal, subscriptionPath } from './renewal.page.ts';
import { writeTerms } from './price-labels.ts';

type Props = {
  subscription: SubscriptionView;
  receipts: ChargeReceiptPage;
  before: string | null;
  token: string;
};

export function subscriptionPage(props: Props): View {
  const { subscription, receipts, before, token } = props;
  const { productName, slug, purchaseId } = subscription;
  const path = subscriptionPath(subscription);
  return {
    title: `Subscription to ${productName}`,
    area: 'account',
    content: html`
      <ul class="trail links">
        <li><a href="/library">Library</a></li>
        <li><a href="${MY_PURCHASES}">Purchases</a></li>
      </ul>
      <article data-status="${subscription.status}">
        <hgroup>
          <h1>${productName}</h1>
          <p>Subscription</p>
        </hgroup>
        <p class="price">${writeTerms(subscription)}</p>
        <p role="status">${describeRenewal(subscription)}</p>
        ${renewalActions({ shown: subscription, path, name: productName, token })}
        <ul class="links">
          <li><a href="/p/${slug}">${productName}</a></li>
          <li><a href="/purchases/${purchaseId}">First payment</a></li>
        </ul>
        <p><small class="muted id">${subscription.subscriptionId}</small></p>
      </article>
      ${receiptList({ page: receipts, path, before, firstPath: `/purchases/${purchaseId}/receipt` })}
    `,
  };
}
