import type { Expression } from 'kysely';
import { queueReceiptMail } from '../../identity/mail/mail.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely } from '../../kysely.ts';
import { notifyOfSale } from '../notices/sales-notices.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';

export type MailedReceipt = NonNullable<Awaited<ReturnType<typeof findReceipt>>>;

export type ReceiptView = NonNullable<Awaited<ReturnType<typeof findReceiptOf>>>;

/**
 * Belongs in the transaction in which a purchase clears: writes the receipt and queues its mail, and
 * the sellers'.
 * Money that returns after a refund or a dispute makes no second receipt.
 */
export async function issueReceipt(em: EntityManager, purchaseId: string): Promise<void> {
  if (!(await writeReceipt(em, purchaseId))) return;
  const buyer = await kysely(em)
    .selectFrom('purchase')
    .innerJoin('person', 'person.id', 'purchase.personId')
    .select(['person.id as personId', 'person.email as address'])
    .where('purchase.id', '=', purchaseId)
    .where('person.deletedAt', 'is', null)
    .executeTakeFirst();
  if (buyer) await queueReceiptMail(em, { ...buyer, purchaseId });
  await notifyOfSale(em, purchaseId);
}

/** False when the purchase has one already. */
async function writeReceipt(em: EntityManager, purchaseId: string): Promise<boolean> {
  const written = await kysely(em)
    .insertInto('receipt')
    .columns(['purchaseId', 'productName', 'sellerName', 'grossMinor', 'currency'])
    .expression(({ selectFrom }) =>
      selectFrom('purchase')
        .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
        .innerJoin('product', 'product.id', 'purchase.productId')
        .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
        .leftJoin('team', 'team.id', 'product.ownerTeamId')
        .select(['purchase.id', 'product.name'])
        .select(({ fn }) => fn.coalesce('team.name', 'owner.displayName').as('sellerName'))
        .select(['checkout.amountMinor', 'checkout.currency'])
        .where('purchase.id', '=', purchaseId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return written.numInsertedOrUpdatedRows === 1n;
}

/** Maps each purchase of a person that has a receipt to the instant at which it began. */
export async function listReceiptsAmong(
  em: EntityManager,
  { personId, purchaseIds }: { personId: string; purchaseIds: string[] },
) {
  const found = await kysely(em)
    .selectFrom('purchase')
    .innerJoin('receipt', 'receipt.purchaseId', 'purchase.id')
    .select(['purchase.id', 'purchase.createdAt'])
    .where('purchase.personId', '=', personId)
    .where('purchase.id', '=', anyOf(purchaseIds))
    .execute();
  return new Map(found.map(({ id, createdAt }) => [id, createdAt]));
}

const receipts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('receipt')
    .select(['receipt.purchaseId', 'receipt.productName', 'receipt.sellerName'])
    .select(['receipt.grossMinor', 'receipt.currency', 'receipt.issuedAt']);

/** Finds what the receipt's mail says; the mail also leads to the product. */
export async function findReceipt(em: EntityManager, purchaseId: string) {
  const found = await receipts(em)
    .innerJoin('purchase', 'purchase.id', 'receipt.purchaseId')
    .innerJoin('product', 'product.id', 'purchase.productId')
    .leftJoin('subscription', 'subscription.purchaseId', 'purchase.id')
    .select(['product.websiteUrl', 'product.signInUrl'])
    .select(['subscription.billingInterval', 'subscription.periodEnd'])
    .where('receipt.purchaseId', '=', purchaseId)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * The buyer's receipt with the current state of its money; null for a receipt of another person.
 */
export async function findReceiptOf(
  em: EntityManager,
  { personId, purchaseId }: { personId: string; purchaseId: string },
) {
  const found = await receipts(em)
    .innerJoin('purchase', 'purchase.id', 'receipt.purchaseId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'purchase.productId').on('slug.isCurrent', '=', true),
    )
    .select('slug.slug')
    .select(({ ref }) => iconHashOf(ref('purchase.productId')).as('iconHash'))
    .leftJoinLateral(
      ({ ref }) => selectFirstPaid(em, ref('purchase.id')).as('paid'),
      (join) => join.onTrue(),
    )
    .select(['paid.status as paymentStatus', 'paid.periodStart', 'paid.periodEnd'])
    .select(({ case: when, exists, ref, selectFrom }) =>
      when()
        .when('paid.subscriptionId', 'is', null)
        .then(ref('purchase.status').$castTo<string>())
        .when('paid.status', '<>', 'refunded')
        .then('cleared')
        .when(
          exists(
            selectFrom('dispute')
              .select('dispute.id')
              .whereRef('dispute.paymentId', '=', 'paid.id')
              .where('dispute.status', '=', 'lost'),
          ),
        )
        .then('charged_back')
        .else('refunded')
        .end()
        .as('status'),
    )
    .where('receipt.purchaseId', '=', purchaseId)
    .where('purchase.personId', '=', personId)
    .executeTakeFirst();
  return found ?? null;
}

const selectFirstPaid = (em: EntityManager, purchaseId: Expression<string>) =>
  kysely(em)
    .selectFrom('payment')
    .select(['id', 'status', 'periodStart', 'periodEnd', 'subscriptionId'])
    .where('payment.purchaseId', '=', purchaseId)
    .where('payment.status', 'in', RECEIVED_STATUSES)
    .orderBy('payment.createdAt')
    .orderBy('payment.id')
    .limit(1);
