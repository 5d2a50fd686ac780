import { html, type HtmlSafeString } from '@prairielearn/html';
import { openAddress } from '../../../domain/catalog/product-address.ts';
import type { LibraryItem, Through } from '../../../domain/entitlements/library.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { UnfinishedPurchase } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { View } from '../../http/route.ts';
import { NO_ADDRESS } from '../../html/open-product.ts';
import { writeDay } from '../../../domain/shared/instant.ts';
import { day, instant } from '../../html/dates.ts';
import { appIcon } from '../../html/emblems.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { smallButton } from '../../html/form.ts';
import { BY_NAME, paging } from '../../html/parts/paging.ts';
import { MEMBER } from '../subscriptions/member.page.ts';
import { MEMBER_FEES } from '../subscriptions/member-fees.page.ts';
import { describeRenewal } from '../subscriptions/renewal-labels.ts';
import { renewalActions, subscriptionPath } from '../subscriptions/renewal.page.ts';
import { writeTerms, writeMemberTerms } from '../subscriptions/price-labels.ts';
import { button } from '../../html/parts/button.ts';
import { note } from '../../html/parts/note.ts';
import { subscriptionPill } from '../../html/status-pills.ts';
import { LIBRARY, libraryView } from '../library-frame.ts';
import { unfinishedCheckout } from './unfinished.page.ts';

type Props = {
  items: LibraryItem[];
  /** Maps the purchase that each began with to the subscription. */
  subscriptions: Map<string, SubscriptionView>;
  /** The beginning of each purchase that has a page with a receipt. */
  receipts: Map<string, Date>;
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
  const { items, membership, unfinished, after, next, token } = props;
  const own = items.filter((item) => !isOfMember(item));
  const opened = items.filter((item) => isOfMember(item) && !awaitsActivation(item));
  const unopened = items.filter((item) => isOfMember(item) && awaitsActivation(item));
  return libraryView({
    path: LIBRARY,
    title: 'Library',
    content: html`
      ${unfinished.map((checkout) => unfinishedCheckout(checkout, token))}
      ${items.length === 0 ? EMPTY : ''} ${own.length === 0 ? '' : shelf('Yours', own, props)}
      ${membership === null && opened.length === 0 ? '' : ofMember(membership, opened, props)}
      ${unopened.length === 0 ? '' : notOpened(unopened, props)}
      ${membership === null && props.hasFees ? html`<p>${FEES}</p>` : ''}
      ${paging({ path: LIBRARY, before: after, next, names: BY_NAME })}
    `,
  });
}

const EMPTY = emptyState({
  title: 'Your library is empty',
  sentence: 'What you buy, and what Member opens, appears here.',
  link: { path: '/', label: 'Browse the store' },
});

const FEES = html`<a href="${MEMBER_FEES}">Where your fee went</a>`;

/** Nothing but a membership opens it. */
function isOfMember({ through }: LibraryItem): boolean {
  return through.every(({ type }) => type === 'member');
}

function shelf(title: string, items: LibraryItem[], props: Props): HtmlSafeString {
  return html`<section>
    <h2>${title}</h2>
    ${cards(items, props)}
  </section>`;
}

function cards(items: LibraryItem[], props: Props): HtmlSafeString {
  return html`<ul class="library">
    ${items.map((item) => product(item, props))}
  </ul>`;
}

/** One membership for all that it opens: how it stands is said once. */
function ofMember(
  membership: MembershipView | null,
  opened: LibraryItem[],
  props: Props,
): HtmlSafeString {
  return html`<section ${membership === null ? '' : html`data-membership="${membership.status}"`}>
    <div class="section-head">
      <h2>With Member</h2>
      ${membership === null ? '' : html`<p>${termsOf(membership)}</p>`}
      <p class="buttons"><a href="${MEMBER}">Manage Member</a> ${props.hasFees ? FEES : ''}</p>
    </div>
    ${
      membership === null || membership.status !== 'past_due'
        ? ''
        : note({
            tone: 'bad',
            more: describeRenewal(membership),
            actions: renewalActions({
              shown: membership,
              path: MEMBER,
              name: 'Member',
              token: props.token,
            }) as HtmlSafeString,
          })
    }
    ${opened.length === 0 ? '' : cards(opened, props)}
  </section>`;
}

function termsOf(membership: MembershipView): HtmlSafeString | string {
  const terms = writeMemberTerms(membership);
  if (terms === null) return 'You are a member.';
  if (membership.status === 'past_due') return `${terms}.`;
  return html`${terms}. ${describeRenewal(membership)}`;
}

function notOpened(items: LibraryItem[], props: Props): HtmlSafeString {
  return html`<section>
    <h2>Included, not opened yet</h2>
    ${cards(items, props)}
  </section>`;
}

function product(item: LibraryItem, props: Props): HtmlSafeString {
  return html`<li data-product="${item.slug}">
    ${appIcon(item, 52)}
    <div>
      <h3>${item.name}</h3>
      <ul>
        ${item.through.map(
          (through) =>
            html`<li data-through="${through.type}">${reason(through, item, props)}</li>`,
        )}
      </ul>
    </div>
    ${open(item, props.token)} ${noAddress(item)}
    ${item.through.map(({ source }) => changes(source, props))}
  </li>`;
}

function reason(through: Through, item: LibraryItem, props: Props): HtmlSafeString | string {
  const { type, source, endsAt } = through;
  // The heading above says already that Member opens it.
  if (isOfMember(item)) return item.tagline;
  if (type === 'member') return html`With Member${until(endsAt)}`;
  if (type === 'complimentary') return html`Complimentary${until(endsAt)}`;
  const subscription = props.subscriptions.get(source);
  if (subscription) return renewed(subscription);
  const words = type === 'purchase' ? 'Purchased' : 'Subscription';
  const boughtAt = props.receipts.get(source);
  if (boughtAt === undefined) return html`${words}${until(endsAt)}`;
  const label = `Bought on ${writeDay(boughtAt)}: ${item.name}`;
  return html`<a href="/purchases/${source}" aria-label="${label}">Bought on ${day(boughtAt)}</a
    >${until(endsAt)},
    <a href="/purchases/${source}/receipt" aria-label="Receipt for ${item.name}">receipt</a>`;
}

function renewed(subscription: SubscriptionView): HtmlSafeString {
  const { productName: name, status } = subscription;
  const path = subscriptionPath(subscription);
  if (status === 'past_due') {
    return html`<span data-status="${status}"
      >${subscriptionPill(subscription)}
      <a href="${path}" aria-label="Subscription to ${name}">Subscription</a>: pay by
      ${day(subscription.graceEndsAt!)} to keep access.</span
    >`;
  }
  return html`<span data-status="${status}"
    ><a href="${path}" aria-label="Subscription to ${name}">Subscription</a>,
    ${writeTerms(subscription)}. ${describeRenewal(subscription)}
    <a href="${path}#receipts" aria-label="Receipts for ${name}">Receipts</a></span
  >`;
}

function changes(source: string, { subscriptions, token }: Props): HtmlSafeString | '' {
  const subscription = subscriptions.get(source);
  if (subscription === undefined) return '';
  const path = subscriptionPath(subscription);
  return renewalActions({
    shown: subscription,
    path,
    name: subscription.productName,
    token,
    isShort: true,
  });
}

function until(endsAt: Date | null): HtmlSafeString | '' {
  return endsAt === null ? '' : html`, until ${instant(endsAt)}`;
}

/** A member's first use records the activation, and then leads to the product's address too. */
function open(item: LibraryItem, token: string): HtmlSafeString | '' {
  const { slug, name, hasPage } = item;
  if (!hasPage) return '';
  if (awaitsActivation(item)) {
    const action = `${MEMBER}/open/${slug}`;
    const words = { button: 'Open', label: `Open ${name}` };
    return smallButton({ action, token, ...words, size: 'medium', isExternal: true });
  }
  const address = openAddress(item);
  if (address === null) return '';
  return button({ text: 'Open', label: `Open ${name}`, href: address, isExternal: true });
}

function awaitsActivation({ canActivate, through }: LibraryItem): boolean {
  return canActivate && through.every(({ type }) => type === 'member');
}

/** Tells that no address is set, instead of leading back to the store. */
function noAddress(item: LibraryItem): HtmlSafeString | '' {
  if (!item.hasPage || awaitsActivation(item) || openAddress(item) !== null) return '';
  return html`<p class="hint" data-open="none">
    ${NO_ADDRESS}
    <a href="/p/${item.slug}" aria-label="Product page of ${item.name}">Product page</a>
  </p>`;
}
