import type { NotNull } from 'kysely';
import { queueReceiptMail } from '../../identity/mail/mail.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely } from '../../kysely.ts';

/** The receipt of a paid period: a renewal of a subscription, or Member. */
export type ChargeReceipt = ChargeReceiptPage['receipts'][number];

/** Has no addresses for Member. */
export type MailedChargeReceipt = NonNullable<Awaited<ReturnType<typeof findChargeReceipt>>>;

/** The payment with its subscription or membership: the payer is `coalesce` of both. */
const paidPeriods = (em: EntityManager, paymentId: string) =>
  kysely(em)
    .selectFrom('payment')
    .leftJoin('membership', 'membership.id', 'payment.membershipId')
    .leftJoin('subscription', 'subscription.id', 'payment.subscriptionId')
    .where('payment.id', '=', paymentId);

/** Belongs in the transaction that books the money: writes the receipt once and queues its mail. */
export async function issueChargeReceipt(em: EntityManager, paymentId: string): Promise<void> {
  const issued = await kysely(em)
    .insertInto('chargeReceipt')
    .columns(['paymentId', 'productName', 'sellerName', 'grossMinor', 'currency'])
    .expression(
      paidPeriods(em, paymentId)
        .leftJoin('product', 'product.id', 'subscription.productId')
        .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
        .leftJoin('team', 'team.id', 'product.ownerTeamId')
        .select(({ fn, val }) => [
          'payment.id',
          fn.coalesce('product.name', val('Member')).as('productName'),
          fn.coalesce('team.name', 'owner.displayName', val('Gatehouse')).as('sellerName'),
          'payment.grossMinor',
          'payment.currency',
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('paymentId')
    .executeTakeFirst();
  if (!issued) return;
  const buyer = await paidPeriods(em, paymentId)
    .innerJoin('person as buyer', (join) =>
      join
        .on(({ eb, fn, ref }) =>
          eb('buyer.id', '=', fn.coalesce('subscription.personId', ref('membership.personId'))),
        )
        .on('buyer.deletedAt', 'is', null),
    )
    .select(['buyer.id as personId', 'buyer.email as address'])
    .executeTakeFirst();
  if (buyer) await queueReceiptMail(em, { ...buyer, paymentId });
}

const receipts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('chargeReceipt')
    .innerJoin('payment', 'payment.id', 'chargeReceipt.paymentId')
    .select(['chargeReceipt.paymentId', 'payment.subscriptionId'])
    .select(['chargeReceipt.productName', 'chargeReceipt.sellerName'])
    .select(['chargeReceipt.grossMinor', 'chargeReceipt.currency', 'chargeReceipt.issuedAt'])
    .select(['payment.periodStart', 'payment.periodEnd', 'payment.status'])
    // The bank decided against the payment.
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('dispute')
          .select('dispute.id')
          .whereRef('dispute.paymentId', '=', 'payment.id')
          .where('dispute.status', '=', 'lost'),
      )
        .$castTo<boolean>()
        .as('isTakenBack'),
    )
    .$narrowType<{ periodStart: NotNull; periodEnd: NotNull }>();

/** Finds what the receipt's mail says; the mail also leads to the product. */
export async function findChargeReceipt(em: EntityManager, paymentId: string) {
  const found = await receipts(em)
    .leftJoin('subscription', 'subscription.id', 'payment.subscriptionId')
    .leftJoin('product', 'product.id', 'subscription.productId')
    .select(['product.websiteUrl', 'product.signInUrl'])
    .where('chargeReceipt.paymentId', '=', paymentId)
    .executeTakeFirst();
  return found ?? null;
}

/** Returns null for a receipt of another person. */
export async function findChargeReceiptOf(
  em: EntityManager,
  { personId, paymentId }: { personId: string; paymentId: string },
) {
  const found = await receipts(em)
    .leftJoin('subscription', 'subscription.id', 'payment.subscriptionId')
    .leftJoin('membership', 'membership.id', 'payment.membershipId')
    .leftJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'subscription.productId').on('slug.isCurrent', '=', true),
    )
    .select('slug.slug')
    .select(({ ref }) => iconHashOf(ref('subscription.productId')).as('iconHash'))
    .where('chargeReceipt.paymentId', '=', paymentId)
    .where(({ fn }) => fn.coalesce('subscription.personId', 'membership.personId'), '=', personId)
    .executeTakeFirst();
  return found ?? null;
}

type ReceiptOwner = { subscriptionId: string } | { memberId: string };

export type ChargeReceiptPage = Awaited<ReturnType<typeof listChargeReceipts>>;

const PAGE = 12;

/** The latest period first. Member's receipts include earlier memberships of the person. */
export async function listChargeReceipts(
  em: EntityManager,
  { of, before }: { of: ReceiptOwner; before: string | null },
) {
  const found = await receipts(em)
    .where(({ eb, selectFrom }) =>
      'subscriptionId' in of
        ? eb('payment.subscriptionId', '=', of.subscriptionId)
        : eb(
            'payment.membershipId',
            'in',
            selectFrom('membership').select('membership.id').where('personId', '=', of.memberId),
          ),
    )
    .$if(before !== null, (receiptsOf) =>
      receiptsOf.where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('payment.periodStart', 'payment.id'),
          '<',
          selectFrom('payment as shown')
            .select(['shown.periodStart', 'shown.id'])
            .where('shown.id', '=', before)
            .$asTuple('periodStart', 'id'),
        ),
      ),
    )
    .orderBy('payment.periodStart', 'desc')
    .orderBy('payment.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  const { lines, next } = toPage(found, PAGE, ({ paymentId }) => paymentId);
  return { receipts: lines, next };
}
