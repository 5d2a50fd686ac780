import type { Expression } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import { REFUNDABLE, refundableMinor } from '../refunds/refund-status.ts';
import { readTaken } from '../refunds/refund.repository.ts';
import type { PurchaseStatus } from './purchase-status.ts';

/** A purchase as its seller sees it. */
export type SaleLine = Awaited<ReturnType<typeof listSales>>['sales'][number];

// The received amount, where anything was received: it may differ from the agreed amount.
const sales = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('purchase')
    .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
    .innerJoin('person as buyer', 'buyer.id', 'purchase.personId')
    .leftJoinLateral(
      ({ ref }) => lastCharge(em, ref('purchase.id')).as('charge'),
      (join) => join.onTrue(),
    )
    .select(['purchase.id as purchaseId', 'buyer.handle', 'purchase.status'])
    .select(['purchase.refundedMinor', 'purchase.createdAt'])
    .select(({ fn }) => [
      fn.coalesce('charge.grossMinor', 'checkout.amountMinor').as('amountMinor'),
      fn.coalesce('charge.currency', 'checkout.currency').as('currency'),
    ])
    .where('purchase.productId', '=', productId);

// A renewal that failed stands behind the last charge that came: that charge can be refunded.
const lastCharge = (em: EntityManager, purchaseId: Expression<string>) =>
  kysely(em)
    .selectFrom('payment')
    .select(['id', 'grossMinor', 'cutMinor', 'currency', 'status', 'returnedMinor'])
    .where('payment.purchaseId', '=', purchaseId)
    .orderBy(({ eb }) => eb('payment.status', 'in', ['failed', 'canceled']))
    .orderBy('payment.createdAt', 'desc')
    .orderBy('payment.id', 'desc')
    .limit(1);

const PAGE = 50;

const NEVER_PAID: PurchaseStatus[] = ['pending', 'canceled'];

/**
 * A page of a product's purchases, the newest first, without the checkouts that were never paid
 * unless they are asked for; `next` is the id of the last one when others
 * follow.
 */
export async function listSales(
  em: EntityManager,
  request: { productId: string; before: string | null; showsUnfinished: boolean },
) {
  const { productId, before, showsUnfinished } = request;
  const found = await sales(em, productId)
    .$if(!showsUnfinished, (all) => all.where('purchase.status', 'not in', NEVER_PAID))
    .$if(before !== null, (all) =>
      all.where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('purchase.createdAt', 'purchase.id'),
          '<',
          selectFrom('purchase as last')
            .select(['last.createdAt', 'last.id'])
            .where('last.productId', '=', productId)
            .where('last.id', '=', before!)
            .$asTuple('createdAt', 'id'),
        ),
      ),
    )
    .orderBy('purchase.createdAt', 'desc')
    .orderBy('purchase.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  const { lines, next } = toPage(found, PAGE, ({ purchaseId }) => purchaseId);
  return { sales: lines, next };
}

export type LatestSale = Awaited<ReturnType<typeof listLatestSales>>[number];

/** The last purchases that were paid for or are about to be, with what was bought. */
export async function listLatestSales(
  em: EntityManager,
  { productId, limit }: { productId: string; limit: number },
) {
  return sales(em, productId)
    .innerJoin('offer', 'offer.id', 'checkout.offerId')
    .select('offer.kind')
    .where('purchase.status', 'not in', NEVER_PAID)
    .orderBy('purchase.createdAt', 'desc')
    .orderBy('purchase.id', 'desc')
    .limit(limit)
    .execute();
}

export type RefundLine = Awaited<ReturnType<typeof listRefunds>>[number];

export type SaleDetail = NonNullable<Awaited<ReturnType<typeof findSale>>>;

/** Finds a purchase of a product; null for a purchase of another product. */
export async function findSale(
  em: EntityManager,
  { productId, purchaseId }: { productId: string; purchaseId: string },
) {
  const found = await sales(em, productId)
    .select(['purchase.clearedAt', 'purchase.serviceSource'])
    .select(['purchase.serviceCampaign', 'purchase.serviceCampaignRaw'])
    // The charge that may be refunded: a subscription's last one.
    .select(['charge.cutMinor', 'charge.id as paymentId', 'charge.status as paymentStatus'])
    .select(({ fn, lit, selectFrom }) => [
      fn.coalesce('charge.returnedMinor', lit(0)).as('returnedMinor'),
      selectFrom('payment')
        .select(fn.countAll<number>().as('charges'))
        .whereRef('payment.purchaseId', '=', 'purchase.id')
        .$asScalar()
        .$notNull()
        .as('charges'),
    ])
    .where('purchase.id', '=', purchaseId)
    .executeTakeFirst();
  if (!found) return null;
  const { paymentStatus, ...sale } = found;
  const { paymentId } = sale;
  const isRefundable = REFUNDABLE.some((status) => status === paymentStatus);
  const taken = paymentId !== null && isRefundable ? await readTaken(em, paymentId) : null;
  return {
    ...sale,
    refundableMinor: taken ? refundableMinor(taken) : 0,
    refunds: await listRefunds(em, purchaseId),
  };
}

async function listRefunds(em: EntityManager, purchaseId: string) {
  return (
    kysely(em)
      .selectFrom('refund')
      .innerJoin('payment', 'payment.id', 'refund.paymentId')
      .leftJoin('person as requester', 'requester.id', 'refund.requestedBy')
      .select(['refund.id as refundId', 'refund.status', 'refund.amountMinor', 'refund.currency'])
      // Nobody asked for refunds of the platform or the processor.
      .select(['requester.handle as askedBy', 'refund.reason', 'refund.failure'])
      .select('refund.createdAt')
      .where('payment.purchaseId', '=', purchaseId)
      .orderBy('refund.createdAt', 'desc')
      .orderBy('refund.id', 'desc')
      .limit(200)
      .execute()
  );
}
