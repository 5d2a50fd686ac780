import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type {
  PurchaseLine,
  PurchasePage,
} from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { settingsPage } from '../settings/settings.page.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { paging } from '../../html/table.ts';
import { PURCHASE_WORDS } from '../../html/status-labels.ts';
import { MEMBER } from '../subscriptions/member.page.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';
import { unfinishedActions } from './unfinished.page.ts';
import { describeRenewal, subscriptionPath } from '../subscriptions/renewal.page.ts';
import { writeTerms } from '../subscriptions/price-labels.ts';

type Props = {
  running: SubscriptionView[];
  membership: MembershipView | null;
  found: PurchasePage;
  before: string | null;
  token: string;
};

export function myPurchasesPage(props: Props): View {
  const { running, membership, found, before, token } = props;
  const content = html`
    ${membership === null ? '' : member(membership)}
    ${running.length === 0 ? '' : subscriptions(running)}
    ${
      found.purchases.length === 0
        ? emptyState('No purchases yet.', { path: '/', label: 'Browse the store' })
        : html`<ul class="rows">
            ${found.purchases.map((purchase) => row(purchase, token))}
          </ul>`
    }
    ${paging({ path: MY_PURCHASES, before, next: found.next })}
  `;
  return settingsPage({ path: MY_PURCHASES, content });
}

function member(membership: MembershipView): HtmlSafeString {
  return html`<section>
    <h2>Member</h2>
    <p><a href="${MEMBER}">Your membership</a>: ${describeRenewal(membership)}</p>
  </section>`;
}

function subscriptions(running: SubscriptionView[]): HtmlSafeString {
  return html`<section>
    <h2>Subscriptions</h2>
    <ul class="rows">
      ${running.map(subscriptionRow)}
    </ul>
  </section>`;
}

function subscriptionRow(subscription: SubscriptionView): HtmlSafeString {
  const { status, productName } = subscription;
  return html`<li data-subscription="${subscription.subscriptionId}" data-status="${status}">
    <span>
      <a href="${subscriptionPath(subscription)}" aria-label="Subscription to ${productName}"
        >${productName}</a
      ><br />
      <small class="muted">${describeRenewal(subscription)}</small>
    </span>
    <span class="amount">${writeTerms(subscription)}</span>
  </li>`;
}

function row(purchase: PurchaseLine, token: string): HtmlSafeString {
  const { purchaseId, status, amountMinor, currency, createdAt, productName } = purchase;
  return html`<li data-purchase="${purchaseId}" data-status="${status}">
    <span>
      <a href="/purchases/${purchaseId}">${productName}</a><br />
      <small class="muted">${instant(createdAt)}</small>
    </span>
    <span>
      <span class="amount">${formatMoney(amountMinor, currency)}</span>
      <small class="muted">${wordsFor(purchase)}</small>
      ${
        purchase.hasReceipt
          ? html`<br /><small
                ><a href="/purchases/${purchaseId}/receipt" aria-label="Receipt for ${productName}"
                  >Receipt</a
                ></small
              >`
          : ''
      }
      ${purchase.isUnfinished ? unfinishedActions(purchase, token) : ''}
    </span>
  </li>`;
}

function wordsFor({ status, isUnfinished, isPartlyRefunded }: PurchaseLine): string {
  if (status === 'pending' && !isUnfinished) return PURCHASE_WORDS.canceled;
  return status === 'cleared' && isPartlyRefunded
    ? 'Paid, partially refunded'
    : PURCHASE_WORDS[status];
}
