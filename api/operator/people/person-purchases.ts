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
import { formatMoney } from '../../../domain/shared/money.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { productPath } from '../../console/console-frame.ts';
import { aheadOf, STATUS_WORDS } from '../../console/sales/subscriber-labels.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { PURCHASE_WORDS } from '../../html/status-labels.ts';

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
  return html`<section id="purchases">
    <h2>Purchases</h2>
    ${
      membership === null
        ? ''
        : html`<p data-member="${membership.status}">
            Member: ${STATUS_WORDS[membership.status]}. ${aheadOf(membership)}
          </p>`
    }
    ${table({
      label: 'Purchases',
      columns: COLUMNS,
      rows: lines,
      empty: 'No purchases.',
      pages: { path: `/operator/people/${personId}`, before, next },
    })}
  </section>`;
}

const COLUMNS = {
  Product: ({ purchaseId, productId, productName }: Line) =>
    html`<a href="${productPath(productId)}/purchases/${purchaseId}">${productName}</a>`,
  Started: ({ createdAt }: Line) => instant(createdAt),
  Amount: ({ amountMinor, currency }: Line) => formatMoney(amountMinor, currency),
  Status: ({ status }: Line) => html`<span data-state="${status}">${PURCHASE_WORDS[status]}</span>`,
  Subscription: ({ subscription }: Line) =>
    subscription === undefined
      ? '-'
      : html`<span data-subscription="${subscription.subscriptionId}"
          >${STATUS_WORDS[subscription.status]}. ${aheadOf(subscription)}</span
        >`,
};
