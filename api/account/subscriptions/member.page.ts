import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { StoreList } from '../../../domain/catalog/storefront-list.repository.ts';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { ChargeReceiptPage } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import type { View } from '../../http/route.ts';
import { POOL_GUIDE } from '../../html/guide-links.ts';
import { writePlural } from '../../html/numbers.ts';
import { icon } from '../../html/icon.ts';
import { PER } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { segment } from '../../html/parts/choice.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { subscriptionPill } from '../../html/status-pills.ts';
import { rendered } from '../../html/rendered.ts';
import { productCards, productPaging } from '../../html/product-cards.ts';
import { describeRenewal } from './renewal-labels.ts';
import { receiptList, renewalActions } from './renewal.page.ts';
import { writeMemberTerms } from './price-labels.ts';

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
  const { membership, reason, included, after } = props;
  return {
    title: 'Member',
    section: 'member',
    content: html`
      <section class="hero member-hero" data-status="${membership?.status ?? 'none'}">
        <div>
          <p class="eyebrow">${icon('key-round')}Member</p>
          <h1>One key for every included product.</h1>
          <p>
            Everything included opens with your account, at once. A part of your fee goes to the
            makers of what you use.
          </p>
        </div>
        <div>
          ${
            reason === null
              ? ''
              : html`<div data-reason="${reason}">
                  ${note({ tone: 'warn', sentence: REASONS[reason] })}
                </div>`
          }
          ${membership === null ? '' : membershipPanel(membership, props.token ?? '')}
          ${maySubscribe(membership) ? offers(props) : ''}
        </div>
      </section>
      <section>
        <div class="section-head"><h2>Included today</h2></div>
        ${productCards({
          products: included.products,
          empty: 'No product is included yet.',
          isNested: true,
        })}
        ${productPaging({ found: included, after, path: MEMBER })}
      </section>
      ${receiptList({ page: props.receipts, path: MEMBER, before: props.before, firstPath: null })}
      ${HOW_IT_IS_SHARED} ${QUESTIONS}
    `,
  };
}

function membershipPanel(membership: MembershipView, token: string): HtmlSafeString {
  if (membership.status === 'incomplete') return pending(membership);
  const terms = writeMemberTerms(membership);
  return html`<section class="card renewal">
    <div class="what">
      <h2>Your membership</h2>
      ${subscriptionPill(membership)}
    </div>
    ${terms === null ? '' : html`<p class="big">${terms}</p>`}
    <p role="status">${terms === null ? 'You are a member.' : describeRenewal(membership)}</p>
    ${
      membership.processorId === null
        ? ''
        : renewalActions({ shown: membership, path: MEMBER, name: 'Member', token })
    }
    <p class="hint">
      <a href="/library">Library</a> <a href="/library/fees">Where your fee went</a>
    </p>
  </section>`;
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
    return html`<div role="status">
      ${note({
        tone: 'info',
        icon: 'clock',
        more: html`We're confirming your payment. Your membership starts when the payment clears.`,
      })}
    </div>`;
  }
  const { currency, billingInterval } = membership;
  // Without its own terms the first price would take the place of the one that was chosen.
  const path = subscribePath({ currency: currency ?? '', billingInterval: billingInterval ?? '' });
  return note({
    tone: 'warn',
    icon: 'clock',
    more: html`You haven't finished checking out.`,
    actions: html`<div class="buttons">
      ${button({ text: 'Continue to payment', href: path, kind: 'primary' })}
    </div>`,
  });
}

export function subscribePath(terms: { currency: string; billingInterval: string }): string {
  const { currency, billingInterval: interval } = terms;
  return `${MEMBER}/subscribe?${new URLSearchParams({ currency, interval }).toString()}`;
}

/** One currency is shown at a time, as on the page of a product. */
function offers({ prices, membership }: Props): HtmlSafeString {
  if (prices.length === 0) return note({ tone: 'plain', more: "Member isn't available yet." });
  const hasOpen = membership?.status === 'incomplete';
  const byCurrency = [...Map.groupBy(prices, ({ currency }) => currency)].toSorted(
    ([one], [other]) => Number(other === 'USD') - Number(one === 'USD'),
  );
  return html`<div class="one-currency" role="group" aria-label="Offer">
    ${
      byCurrency.length === 1
        ? ''
        : segment({
            legend: 'Currency',
            name: 'currency',
            options: byCurrency.map(([currency]) => ({ value: currency, label: currency })),
            value: byCurrency[0]![0],
          })
    }
    ${byCurrency.map(
      ([currency, each], index) =>
        html`<div class="plans in c${index + 1}" data-currency="${currency}">
          ${each.map((price) => plan(price, { each, hasOpen }))}
        </div>`,
    )}
    <p class="hint">
      Renews automatically. Cancel anytime; access continues until the end of the billing period.
    </p>
  </div>`;
}

const PLANS = { month: 'Monthly', year: 'Yearly' } as const;

function plan(
  price: MemberPriceView,
  { each, hasOpen }: { each: MemberPriceView[]; hasOpen: boolean },
): HtmlSafeString {
  const { currency, billingInterval, amountMinor } = price;
  const isMain = each.at(-1) === price && !hasOpen;
  const monthly = each.find((other) => other.billingInterval === 'month');
  const saved = billingInterval === 'year' && monthly ? 12 * monthly.amountMinor - amountMinor : 0;
  return html`<section class="card plan ${isMain ? 'main' : ''}">
    <div class="what">
      <h2>${PLANS[billingInterval]}</h2>
      ${saved > 0 ? pill({ word: `Save ${formatMoney(saved, currency)}`, tone: 'ok' }) : ''}
    </div>
    <p class="big">${money(amountMinor, currency)}</p>
    <p>${PER[billingInterval]}</p>
    ${button({
      text: `Subscribe for ${formatMoney(amountMinor, currency)} ${PER[billingInterval]}`,
      href: subscribePath(price),
      kind: isMain ? 'primary' : 'secondary',
      mark: html`rel="nofollow"`,
    })}
  </section>`;
}

const EXAMPLE: [name: string, days: number][] = [
  ['Editor', 20],
  ['Planner', 6],
  ['Tax helper', 1],
];

const HOW_IT_IS_SHARED = rendered(
  html`<section class="sell-panel">
    <div>
      <h2>Shared by the days you use</h2>
      <p>
        Say you use three included products in a month. Their makers share a part of your fee by the
        days on which you used each.
      </p>
      <a href="${POOL_GUIDE}">How the creator pool counts</a>
    </div>
    <ul class="bars-list">
      ${EXAMPLE.map(
        ([name, days]) =>
          html`<li>
            <span>${name}</span>
            <progress max="20" value="${days}" aria-label="Days of ${name}"></progress>
            <span>${writePlural(days, 'day')}</span>
          </li>`,
      )}
    </ul>
  </section>`,
);

const ANSWERS: [question: string, answer: string][] = [
  [
    'What happens to products I bought?',
    'They stay yours. If a product is also included, nothing changes for you.',
  ],
  [
    'Where does my fee go?',
    'Each month, a part of it goes to the included products that you used. Your library shows where.',
  ],
  [
    'Can I stop?',
    'Cancel anytime. Member stays open until the end of the period that you paid for.',
  ],
];

const QUESTIONS = rendered(
  html`<section>
    <h2>Questions</h2>
    ${ANSWERS.map(
      ([question, answer], index) =>
        html`<details class="question" ${index === 0 ? html`open` : ''}>
          <summary>${question}${icon('chevron-down')}</summary>
          <p>${answer}</p>
        </details>`,
    )}
  </section>`,
);
