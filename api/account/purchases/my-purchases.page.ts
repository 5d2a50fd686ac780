import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PurchaseLine,
  PurchasePage,
} from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { appIcon } from '../../html/emblems.ts';
import { day, instant } from '../../html/dates.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { icon } from '../../html/icon.ts';
import { PER } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { paging } from '../../html/parts/paging.ts';
import { purchasePill, subscriptionPill } from '../../html/status-pills.ts';
import { libraryView } from '../library-frame.ts';
import { MEMBER } from '../subscriptions/member.page.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';
import { unfinishedActions } from './unfinished.page.ts';
import { describeRenewal } from '../subscriptions/renewal-labels.ts';
import { subscriptionPath } from '../subscriptions/renewal.page.ts';

type Props = {
  running: SubscriptionView[];
  membership: MembershipView | null;
  found: PurchasePage;
  before: string | null;
  token: string;
};

export function myPurchasesPage(props: Props): View {
  const { running, membership, found, before, token } = props;
  const isRenewing = membership !== null || running.length > 0;
  return libraryView({
    path: MY_PURCHASES,
    title: 'Purchases',
    content: html`
      ${
        isRenewing
          ? card({
              title: 'Subscriptions',
              rows: html`<ul class="rows amounts">
                ${membership === null ? '' : member(membership)} ${running.map(subscriptionRow)}
              </ul>`,
            })
          : ''
      }
      ${
        found.purchases.length === 0
          ? emptyState({
              title: 'No purchases yet',
              sentence: 'What you buy appears here, with its receipts.',
              link: { path: '/', label: 'Browse the store' },
            })
          : card({
              title: isRenewing ? 'Payments' : 'Purchases',
              rows: html`<ul class="rows amounts">
                ${found.purchases.map((purchase) => row(purchase, token))}
              </ul>`,
            })
      }
      ${paging({ path: MY_PURCHASES, before, next: found.next })}
    `,
  });
}

function member(membership: MembershipView): HtmlSafeString {
  return html`<li>
    <div class="what">
      <span class="app-icon s34">${icon('key-round', 18)}</span>
      <p>
        <a href="${MEMBER}">Member</a>
        <small>${describeRenewal(membership)}</small>
      </p>
    </div>
    ${price(membership)} ${manage(MEMBER, 'Member')}
  </li>`;
}

function price({ amountMinor, currency, billingInterval }: MembershipView) {
  if (amountMinor === null || currency === null || billingInterval === null) return '';
  return amount(money(amountMinor, currency), PER[billingInterval]);
}

/** Amounts stand below each other, whatever else their rows have. */
function amount(value: HtmlSafeString, per: string): HtmlSafeString {
  return html`<div class="price">${value} <small>${per}</small></div>`;
}

const manage = (href: string, name: string) =>
  button({ text: 'Manage', label: `Manage subscription to ${name}`, href, size: 'small' });

function subscriptionRow(subscription: SubscriptionView): HtmlSafeString {
  const { status, productName: name, slug, iconHash } = subscription;
  const { amountMinor, currency, billingInterval } = subscription;
  return html`<li data-subscription="${subscription.subscriptionId}" data-status="${status}">
    <div class="what">
      ${appIcon({ slug, name, iconHash }, 34)}
      <p>
        <a href="${subscriptionPath(subscription)}" aria-label="Subscription to ${name}">${name}</a>
        <small>
          ${
            status === 'past_due'
              ? html`Pay by ${day(subscription.graceEndsAt!)} to keep access.`
              : describeRenewal(subscription)
          }
        </small>
      </p>
    </div>
    ${status === 'past_due' ? subscriptionPill(subscription) : ''}
    ${amount(money(amountMinor, currency), PER[billingInterval])}
    ${manage(subscriptionPath(subscription), name)}
  </li>`;
}

function row(purchase: PurchaseLine, token: string): HtmlSafeString {
  const { purchaseId, status, amountMinor, currency, productName: name, slug, iconHash } = purchase;
  const isOver = status === 'pending' && !purchase.isUnfinished;
  return html`<li data-purchase="${purchaseId}" data-status="${status}">
    <div class="what">
      ${appIcon({ slug, name, iconHash }, 34)}
      <p>
        <a href="/purchases/${purchaseId}">${name}</a>
        <small>${instant(purchase.createdAt)}</small>
      </p>
    </div>
    ${purchasePill(isOver ? { status: 'canceled' } : purchase)}
    <div class="price">${money(amountMinor, currency)}</div>
    ${
      purchase.hasReceipt
        ? button({
            text: 'Receipt',
            label: `Receipt for ${name}`,
            href: `/purchases/${purchaseId}/receipt`,
            size: 'small',
          })
        : ''
    }
    ${purchase.isUnfinished ? unfinishedActions(purchase, token) : ''}
  </li>`;
}
