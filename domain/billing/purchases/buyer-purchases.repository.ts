import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely } from '../../kysely.ts';

export type PurchaseView = NonNullable<Awaited<ReturnType<typeof findPurchaseOf>>>;

const purchasesOf = (em: EntityManager, personId: string) =>
  kysely(em)
    .selectFrom('purchase')
    .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
    .innerJoin('product', 'product.id', 'purchase.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['purchase.id as purchaseId', 'purchase.status', 'product.name as productName'])
    .select(['purchase.productId', 'slug.slug', 'checkout.amountMinor', 'checkout.currency'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('receipt')
          .select('receipt.purchaseId')
          .whereRef('receipt.purchaseId', '=', 'purchase.id'),
      )
        .$castTo<boolean>()
        .as('hasReceipt'),
    )
    // The checkout may still be paid.
    .select(({ and, eb }) =>
      and([eb('purchase.status', '=', 'pending'), eb('checkout.status', '=', 'open')])
        .$castTo<boolean>()
        .as('isUnfinished'),
    )
    .where('purchase.personId', '=', personId);

/** A purchase as its buyer sees it; null for a purchase of another person. */
export async function findPurchaseOf(
  em: EntityManager,
  { personId, purchaseId }: { personId: string; purchaseId: string },
) {
  const found = await purchasesOf(em, personId)
    .select(['purchase.clearedAt', 'checkout.returnTo'])
    .select(['product.websiteUrl', 'product.signInUrl'])
    .where('purchase.id', '=', purchaseId)
    .executeTakeFirst();
  return found ?? null;
}

export type PurchaseLine = PurchasePage['purchases'][number];

export type PurchasePage = Awaited<ReturnType<typeof listPurchasesOf>>;

/** A checkout that may still be paid. */
export type UnfinishedPurchase = Awaited<ReturnType<typeof listUnfinishedOf>>[number];

const MOST_UNFINISHED = 10;

/** The checkouts that a person has left behind, the latest first; of one product, or of all. */
export function listUnfinishedOf(
  em: EntityManager,
  { personId, productId }: { personId: string; productId?: string },
) {
  return purchasesOf(em, personId)
    .select('purchase.productId')
    .where('purchase.status', '=', 'pending')
    .where('checkout.status', '=', 'open')
    .$if(productId !== undefined, (found) => found.where('purchase.productId', '=', productId!))
    .orderBy('purchase.id', 'desc')
    .limit(MOST_UNFINISHED)
    .execute();
}

const PAGE = 50;

/**
 * A page of a person's purchases, the latest first, with the id of its last one when older ones
 * follow.
 */
export async function listPurchasesOf(
  em: EntityManager,
  { personId, before }: { personId: string; before: string | null },
) {
  const found = await purchasesOf(em, personId)
    .select('purchase.createdAt')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment')
          .select('payment.id')
          .whereRef('payment.purchaseId', '=', 'purchase.id')
          .where('payment.status', '=', 'partially_refunded'),
      )
        .$castTo<boolean>()
        .as('isPartlyRefunded'),
    )
    .$if(before !== null, (purchases) => purchases.where('purchase.id', '<', before!))
    .orderBy('purchase.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  const { lines: purchases, next } = toPage(found, PAGE, ({ purchaseId }) => purchaseId);
  return { purchases, next };
}
