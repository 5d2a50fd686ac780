import { html, type HtmlSafeString } from '@prairielearn/html';
import { openAddress } from '../../../domain/catalog/product-address.ts';
import type { LibraryItem, Through } from '../../../domain/entitlements/library.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { UnfinishedPurchase } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { NO_ADDRESS } from '../../html/open-product.ts';
import { appIcon } from '../../html/emblems.ts';
import { emptyState, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { BY_NAME, paging } from '../../html/table.ts';
import { MEMBER } from '../subscriptions/member.page.ts';
import { MEMBER_FEES } from '../subscriptions/member-fees.page.ts';
import {
  renewalActions,
  describeRenewal,
  subscriptionPath,
} from '../subscriptions/renewal.page.ts';
import { writeTerms, writeMemberTerms } from '../subscriptions/price-labels.ts';
import { unfinishedCheckout } from './unfinished.page.ts';

export const LIBRARY = '/library';

type Props = {
  items: LibraryItem[];
  /** Maps the purchase that each began with to the subscription. */
  subscriptions: Map<string, SubscriptionView>;
  /** Purchases that have a page with a receipt. */
  receipts: Set<string>;
  membership: MembershipView | null;
  /** The person is or was a Member. */
  hasFees: boolean;
  /** Checkouts that were left behind. */
  unfinished: UnfinishedPurchase[];
  after: string | null;
  next: string | null;
  token: string;
};

export function libraryPage(props: Props): View {
  const { items, membership, hasFees, unfinished, after, next, token } = props;
  return {
    title: 'Library',
    area: 'account',
    section: 'library',
    content: html`
      <h1>Library</h1>
      ${unfinished.map((checkout) => unfinishedCheckout(checkout, token))}
      ${membership === null ? (hasFees ? FEES : '') : member(membership, token)}
      ${
        items.length === 0
          ? emptyState('Your library is empty.', {
              path: '/',
              label: 'Browse the store',
            })
          : html`<ul class="library">
              ${items.map((item) => product(item, props))}
            </ul>`
      }
      ${paging({ path: LIBRARY, before: after, next, names: BY_NAME })}
    `,
  };
}

const FEES = html`<p><a href="${MEMBER_FEES}">Where your fee went</a></p>`;

/** One membership for all that it opens: how it stands is said once. */
function member(membership: MembershipView, token: string): HtmlSafeString {
  const { processorId, status } = membership;
  const terms = writeMemberTerms(membership);
  return html`<article class="membership" data-membership="${status}">
    <h2><a href="${MEMBER}">Member</a></h2>
    <p class="${trouble(status)}">
      ${
        terms === null
          ? 'You are a member.'
          : html`${terms}. ${describeRenewal(membership)}
              <a href="${MEMBER}#receipts" aria-label="Receipts for Member">Receipts</a>`
      }
    </p>
    ${FEES}
    ${processorId === null ? '' : renewalActions({ shown: membership, path: MEMBER, name: 'Member', token })}
  </article>`;
}

function product(item: LibraryItem, props: Props): HtmlSafeString {
  return html`<li data-product="${item.slug}">
    <div class="heading">
      ${appIcon(item)}
      <h2>${item.name}</h2>
      ${open(item, props.token)}
    </div>
    ${noAddress(item)}
    <ul>
      ${item.through.map((through) => html`<li data-through="${through.type}">${reason(through, item, props)}</li>`)}
    </ul>
  </li>`;
}

function reason(through: Through, item: LibraryItem, props: Props): HtmlSafeString {
  const { type, source, endsAt } = through;
  if (type === 'member') return html`<a href="${MEMBER}">Member</a>, ${untilMemberEnds(endsAt)}`;
  if (type === 'complimentary') return html`Complimentary${until(endsAt)}`;
  const subscription = props.subscriptions.get(source);
  if (subscription) return renewed(subscription, props.token);
  const words = type === 'purchase' ? 'Purchased' : 'Subscription';
  if (!props.receipts.has(source)) return html`${words}${until(endsAt)}`;
  return html`<span class="links">
    <span
      ><a href="/purchases/${source}" aria-label="${words}: ${item.name}">${words}</a
      >${until(endsAt)}</span
    >
    <a href="/purchases/${source}/receipt" aria-label="Receipt for ${item.name}">Receipt</a>
  </span>`;
}

function renewed(subscription: SubscriptionView, token: string): HtmlSafeString {
  const { productName: name, status } = subscription;
  const path = subscriptionPath(subscription);
  return html`<p data-status="${status}" class="${trouble(status)}">
      <a href="${path}" aria-label="Subscription to ${name}">Subscription</a>,
      ${writeTerms(subscription)}. ${describeRenewal(subscription)}
      <a href="${path}#receipts" aria-label="Receipts for ${name}">Receipts</a>
    </p>
    ${renewalActions({ shown: subscription, path, name, token })}`;
}

/** Highlights a subscription with a failed payment. */
function trouble(status: SubscriptionView['status']): string {
  return status === 'past_due' ? 'notice' : '';
}

function until(endsAt: Date | null): HtmlSafeString | '' {
  return endsAt === null ? '' : html`, until ${instant(endsAt)}`;
}

function untilMemberEnds(endsAt: Date | null): HtmlSafeString | string {
  return endsAt === null ? 'while you are a member' : html`until ${instant(endsAt)}`;
}

/** A member's first use records the activation, and then leads to the product's address too. */
function open(item: LibraryItem, token: string): HtmlSafeString | '' {
  const { slug, name, hasPage } = item;
  if (!hasPage) return '';
  if (awaitsActivation(item)) {
    const action = `${MEMBER}/open/${slug}`;
    return smallButton({ action, token, button: 'Open', label: `Open ${name}` });
  }
  const address = openAddress(item);
  if (address === null) return '';
  return html`<a role="button" class="outline secondary" href="${address}" aria-label="Open ${name}"
    >Open</a
  >`;
}

function awaitsActivation({ canActivate, through }: LibraryItem): boolean {
  return canActivate && through.every(({ type }) => type === 'member');
}

/** Tells that no address is set, instead of leading back to the store. */
function noAddress(item: LibraryItem): HtmlSafeString | '' {
  if (!item.hasPage || awaitsActivation(item) || openAddress(item) !== null) return '';
  return html`<p class="muted" data-open="none">
    ${NO_ADDRESS}
    <a href="/p/${item.slug}" aria-label="Product page of ${item.name}">Product page</a>
  </p>`;
}
