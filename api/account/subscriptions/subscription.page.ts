import { html } from '@prairielearn/html';
import type { ChargeReceiptPage } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { appIcon } from '../../html/emblems.ts';
import { trail } from '../../html/parts/page-head.ts';
import { subscriptionPill } from '../../html/status-pills.ts';
import { MY_PURCHASES } from '../purchases/my-purchases-path.ts';
import { describeRenewal } from './renewal-labels.ts';
import { receiptList, renewalActions, subscriptionPath } from './renewal.page.ts';
import { writeTerms } from './price-labels.ts';

type Props = {
  subscription: SubscriptionView;
  receipts: ChargeReceiptPage;
  before: string | null;
  token: string;
};

export function subscriptionPage(props: Props): View {
  const { subscription, receipts, before, token } = props;
  const { productName: name, slug, iconHash, purchaseId, status } = subscription;
  const path = subscriptionPath(subscription);
  return {
    title: `Subscription to ${name}`,
    area: 'account',
    section: 'library',
    content: html`
      <div class="receipt-wide">
        ${trail([{ path: MY_PURCHASES, label: 'Purchases' }, { label: 'Subscription' }])}
        <section class="card renewal" data-status="${status}">
          <div class="what">
            ${appIcon({ slug, name, iconHash }, 60)}
            <div>
              <h1>${name}</h1>
              <p>
                <a href="/p/${slug}">Product page</a>
                <a href="/purchases/${purchaseId}">First payment</a>
              </p>
            </div>
            ${subscriptionPill(subscription)}
          </div>
          <p class="big">${writeTerms(subscription)}</p>
          <p role="status" class="${status === 'past_due' ? 'problem' : ''}">
            ${describeRenewal(subscription)}
          </p>
          ${renewalActions({ shown: subscription, path, name, token })}
        </section>
        ${receiptList({
          page: receipts,
          path,
          before,
          firstPath: `/purchases/${purchaseId}/receipt`,
        })}
      </div>
    `,
  };
}
