import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { StoreList } from '../../../domain/catalog/storefront-list.repository.ts';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { ChargeReceiptPage } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import type { View } from '../../http/route.ts';
import { productCards, productPaging } from '../../html/product-cards.ts';
import { receiptList, renewalActions, describeRenewal } from './renewal.page.ts';
import { PER, writeMemberTerms } from './price-labels.ts';

export const MEMBER = '/member';

const REASONS = {
  processor_unavailable: "We can't reach the payment processor. Please try again.",
  currency_not_offered: 'Member is not available in this currency.',
  already_member: 'You are already a member.',
  checkout_cancelled: "You left the checkout. You weren't charged.",
} as const;

export type MemberReason = keyof typeof REASONS;

export function isMemberReason(code: unknown): code is MemberReason {
  return typeof code === 'string' && Object.hasOwn(REASONS, code);
}

type Props = {
  prices: MemberPriceView[];
  included: StoreList;
  /** The product that the list of included products goes on after. */
  after: string | null;
  /** Is null if the person never had a membership. */
  membership: MembershipView | null;
  receipts: ChargeReceiptPage;
  before: string | null;
  reason: MemberReason | null;
  token: string | null;
};

export function memberPage(props: Props): View {
  const { membership, reason } = props;
  return {
    title: 'Member',
    section: 'member',
    content: html`
      <article data-status="${membership?.status ?? 'none'}">
        <hgroup>
          <h1>Member</h1>
          <p>One subscription, every included product.</p>
        </hgroup>
        ${reason === null ? '' : html`<p class="notice" role="status" data-reason="${reason}">${REASONS[reason]}</p>`}
        ${membership === null ? '' : membershipPanel(membership, props.token ?? '')}
        ${maySubscribe(membership) ? offers(props) : ''}
      </article>
      <h2>Included products</h2>
      ${productCards(props.included.products, 'No included products yet.', true)}
      ${productPaging({ found: props.included, after: props.after, path: MEMBER })}
      ${receiptList({ page: props.receipts, path: MEMBER, before: props.before, firstPath: null })}
    `,
  };
}

function membershipPanel(membership: MembershipView, token: string): HtmlSafeString {
  if (membership.status === 'incomplete') return pending(membership);
  const terms = writeMemberTerms(membership);
  return html`${terms === null ? '' : html`<p class="price">${terms}</p>`}
    <p role="status">${terms === null ? 'You are a member.' : describeRenewal(membership)}</p>
    ${
      membership.processorId === null
        ? ''
        : renewalActions({ shown: membership, path: MEMBER, name: 'Member', token })
    }`;
}

/** True also during an open checkout: a new price replaces that checkout. */
function maySubscribe(membership: MembershipView | null): boolean {
  return membership === null || membership.status === 'ended' || isUnpaid(membership);
}

/** The processor has no subscription yet. */
const isUnpaid = ({ status, processorId }: MembershipView) =>
  status === 'incomplete' && processorId === null;

function pending(membership: MembershipView): HtmlSafeString {
  if (!isUnpaid(membership)) {
    return html`<p role="status">
      We're confirming your payment. Your membership starts when the payment clears.
    </p>`;
  }
  const { currency, billingInterval } = membership;
  // Without its own terms the first price would take the place of the one that was chosen.
  const path = subscribePath({ currency: currency ?? '', billingInterval: billingInterval ?? '' });
  return html`<p role="status">You haven't finished checking out.</p>
    <p><a role="button" href="${path}">Continue to payment</a></p>`;
}

export function subscribePath(terms: { currency: string; billingInterval: string }): string {
  const { currency, billingInterval: interval } = terms;
  return `${MEMBER}/subscribe?${new URLSearchParams({ currency, interval }).toString()}`;
}

function offers({ prices, membership }: Props): HtmlSafeString {
  const hasOpen = membership?.status === 'incomplete';
  if (prices.length === 0) return html`<p class="notice">Member isn't available yet.</p>`;
  return html`<section class="offer" aria-label="Offer">
    <p class="muted">
      Renews automatically. Cancel anytime; access continues until the end of the billing period.
    </p>
    <ul class="buttons">
      ${prices.map((price, index) => html`<li>${subscribeButton(price, index === 0 && !hasOpen)}</li>`)}
    </ul>
  </section>`;
}

function subscribeButton(price: MemberPriceView, isMain: boolean): HtmlSafeString {
  const { currency, billingInterval, amountMinor } = price;
  return html`<a
    role="button"
    class="${isMain ? '' : 'secondary outline'}"
    href="${subscribePath(price)}"
    rel="nofollow"
    data-currency="${currency}"
    >Subscribe for
    <span class="amount">${formatMoney(amountMinor, currency)}</span> ${PER[billingInterval]}</a
  >`;
}
