// What a person has bought, on the operator's page of the person.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  findMembershipOf,
  type MembershipView,
} from '../../../domain/billing/memberships/membership-view.repository.ts';
import {
  listSubscriptionsAmong,
  type SubscriptionView,
} from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import {
  listPurchasesOf,
  type PurchaseLine,
} from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { productPath } from '../../console/console-frame.ts';
import { describeRenewalShortly } from '../../account/subscriptions/renewal-labels.ts';
import { card } from '../../html/parts/card.ts';
import { shortInstant } from '../../html/dates.ts';
import { money } from '../../html/parts/money.ts';
import { table } from '../../html/table.ts';
import { purchasePill, SUBSCRIPTIONS } from '../../html/status-pills.ts';

type Line = PurchaseLine & { subscription: SubscriptionView | undefined };

export type Bought = {
  lines: Line[];
  before: string | null;
  next: string | null;
  membership: MembershipView | null;
};

/** Finds a page of purchases, the latest first, with the subscriptions that they began. */
export async function findBought(
  em: EntityManager,
  { personId, before }: { personId: string; before: string | null },
): Promise<Bought> {
  const { purchases, next } = await listPurchasesOf(em, { personId, before });
  const purchaseIds = purchases.map(({ purchaseId }) => purchaseId);
  const [subscriptions, membership] = await Promise.all([
    listSubscriptionsAmong(em, { personId, purchaseIds }),
    findMembershipOf(em, personId),
  ]);
  const byPurchase = new Map(subscriptions.map((each) => [each.purchaseId, each]));
  const lines = purchases.map((purchase) => ({
    ...purchase,
    subscription: byPurchase.get(purchase.purchaseId),
  }));
  return { lines, before, next, membership };
}

export function purchasesOf(personId: string, bought: Bought): HtmlSafeString {
  const { lines, before, next, membership } = bought;
  const isEmpty = lines.length === 0 && before === null;
  return html`<div id="purchases">
    ${card({
      title: 'Purchases',
      ...(membership === null
        ? {}
        : {
            facts: html`<p data-member="${membership.status}">
              Member: ${SUBSCRIPTIONS[membership.status].word}.
              ${describeRenewalShortly(membership)}
            </p>`,
          }),
      ...(isEmpty
        ? { body: html`<p class="muted">This person has bought nothing.</p>` }
        : {
            rows: table({
              label: 'Purchases',
              columns: COLUMNS,
              rows: lines,
              empty: 'No older purchases.',
              pages: { path: `/operator/people/${personId}`, before, next, part: 'purchases' },
            }),
          }),
    })}
  </div>`;
}

const COLUMNS = {
  Product: ({ purchaseId, productId, productName }: Line) =>
    html`<a href="${productPath(productId)}/purchases/${purchaseId}">${productName}</a>`,
  State: { cell: purchasePill, onPhone: 'state' as const },
  Subscription: ({ subscription }: Line) =>
    subscription === undefined
      ? ''
      : html`<span data-subscription="${subscription.subscriptionId}"
          >${SUBSCRIPTIONS[subscription.status].word}.
          <small>${describeRenewalShortly(subscription)}</small></span
        >`,
  'Started (UTC)': ({ createdAt }: Line) => shortInstant(createdAt),
  Amount: {
    cell: ({ amountMinor, currency }: Line) => money(amountMinor, currency),
    isNumber: true,
  },
};
