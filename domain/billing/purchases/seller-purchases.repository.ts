import type { Expression, ExpressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { publicIdPattern } from '../../shared/ids.ts';
import { REFUNDABLE, refundableMinor } from '../refunds/refund-status.ts';
import { readTaken } from '../refunds/refund.repository.ts';
import {
  addAll,
  MOST_COUNTED,
  STATUSES_OF,
  type SaleCounts,
  type SaleState,
} from './sale-state.ts';

/** A purchase as its seller sees it. */
export type SaleLine = Awaited<ReturnType<typeof listSales>>['sales'][number];

// The received amount, where anything was received: it may differ from the agreed amount.
const sales = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('purchase')
    .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
    .innerJoin('offer', 'offer.id', 'checkout.offerId')
    .innerJoin('person as buyer', 'buyer.id', 'purchase.personId')
    .leftJoinLateral(
      ({ ref }) => lastCharge(em, ref('purchase.id')).as('charge'),
      (join) => join.onTrue(),
    )
    .select(['purchase.id as purchaseId', 'buyer.handle', 'purchase.status', 'offer.kind'])
    .select(['purchase.refundedMinor', 'purchase.createdAt', 'purchase.clearedAt'])
    .select(['purchase.serviceSource', 'purchase.serviceCampaign', 'purchase.serviceCampaignRaw'])
    // The charge that may be refunded: a subscription's last one.
    .select(['charge.id as paymentId', 'charge.cutMinor', 'charge.status as paymentStatus'])
    .select(({ fn, lit, eb }) => [
      fn.coalesce('charge.grossMinor', 'checkout.amountMinor').as('amountMinor'),
      fn.coalesce('charge.currency', 'checkout.currency').as('currency'),
      fn.coalesce('charge.returnedMinor', lit(0)).as('returnedMinor'),
      eb('purchase.id', 'in', disputed(em)).$castTo<boolean>().as('isDisputed'),
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

// The purchases whose bank has yet to decide: few, in an index of their own.
const disputed = (em: EntityManager) =>
  kysely(em)
    .selectFrom('dispute')
    .innerJoin('payment as claimed', 'claimed.id', 'dispute.paymentId')
    .select('claimed.purchaseId')
    .where('dispute.status', 'in', ['open', 'warning'])
    .where('claimed.purchaseId', 'is not', null)
    .$castTo<{ purchaseId: string }>();

type Span = { from: Date; to: Date } | null;

type InState = {
  productId: string;
  state: SaleState | null;
  /** Purchases that started then; null for all. */
  span: Span;
};

const isIn =
  (em: EntityManager, { productId, state }: Pick<InState, 'productId' | 'state'>) =>
  ({ eb, and, not }: ExpressionBuilder<Pick<Tables, 'purchase'>, 'purchase'>) => {
    if (state === null) return eb('purchase.status', 'not in', [...STATUSES_OF.unfinished]);
    const hasStatus = eb('purchase.status', 'in', [...STATUSES_OF[state]]);
    if (state !== 'disputed') return and([hasStatus, not(eb('purchase.id', 'in', disputed(em)))]);
    // Two short lists of ids: an `or` would read all purchases of the product.
    const lost = kysely(em)
      .selectFrom('purchase as lost')
      .select('lost.id as purchaseId')
      .where('lost.productId', '=', productId)
      .where('lost.status', 'in', [...STATUSES_OF.disputed]);
    return eb('purchase.id', 'in', disputed(em).unionAll(lost));
  };

const isWithin =
  (span: Span) =>
  ({ eb, and }: ExpressionBuilder<Pick<Tables, 'purchase'>, 'purchase'>) =>
    and(
      span === null
        ? []
        : [eb('purchase.createdAt', '>=', span.from), eb('purchase.createdAt', '<', span.to)],
    );

/** The purchases of a product by their state, none beyond the most. */
export function selectCounts(em: EntityManager, among: Omit<InState, 'state'>) {
  const count = (state: SaleState) =>
    kysely(em)
      .selectFrom(
        kysely(em)
          .selectFrom('purchase')
          .select('purchase.id')
          .where('purchase.productId', '=', among.productId)
          .where(isIn(em, { ...among, state }))
          .where(isWithin(among.span))
          .limit(MOST_COUNTED)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .$asScalar()
      .$notNull();
  return kysely(em).selectNoFrom([
    count('paid').as('paid'),
    count('clearing').as('clearing'),
    count('refunded').as('refunded'),
    count('disputed').as('disputed'),
    count('failed').as('failed'),
    count('unfinished').as('unfinished'),
  ]);
}

/** Counts the purchases of a product by their state, all of them in one statement. */
export async function countSales(
  em: EntityManager,
  among: Omit<InState, 'state'>,
): Promise<SaleCounts> {
  return addAll(await selectCounts(em, among).executeTakeFirstOrThrow());
}

const PAGE = 50;

/** The purchases that are listed: without a state, all but the checkouts that were never paid. */
export type SaleSearch = InState & {
  /** The handle of the buyer, or the id of the purchase; empty for every one. */
  find: string;
  before: string | null;
};

/**
 * A page of a product's purchases, the newest first; `next` is the id of the last one when others
 * follow.
 */
export async function listSales(em: EntityManager, search: SaleSearch) {
  const found = await selectSales(em, { ...search, limit: PAGE + 1 }).execute();
  const { lines, next } = toPage(found, PAGE, ({ purchaseId }) => purchaseId);
  return { sales: lines, next };
}

/** A purchase is found by its id in any state; a buyer, without a state, as all are listed. */
export function selectSales(em: EntityManager, search: SaleSearch & { limit: number }) {
  const { productId, state, span, find, before, limit } = search;
  const isId = publicIdPattern('pay_').test(find);
  return sales(em, productId)
    .where(isWithin(span))
    .$if(!isId || state !== null, (all) => all.where(isIn(em, search)))
    .$if(isId, (all) => all.where('purchase.id', '=', find))
    .$if(find !== '' && !isId, (all) => all.where('buyer.handle', '=', find.toLowerCase()))
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
    .limit(limit);
}

const BATCH = 1_000;

/** Reads all purchases batch by batch: a slow reader keeps no transaction open. */
export async function* readSales(
  em: () => EntityManager,
  search: Omit<SaleSearch, 'before'>,
): AsyncGenerator<SaleLine[]> {
  let before: string | null = null;
  for (;;) {
    const found: SaleLine[] = await selectSales(em(), {
      ...search,
      before,
      limit: BATCH,
    }).execute();
    yield found;
    if (found.length < BATCH) return;
    before = found.at(-1)!.purchaseId;
  }
}

export type LatestSale = Awaited<ReturnType<typeof listLatestSales>>[number];

/** The last purchases that were paid for or are about to be, with what was bought. */
export async function listLatestSales(
  em: EntityManager,
  { productId, limit }: { productId: string; limit: number },
) {
  return sales(em, productId)
    .where(isIn(em, { productId, state: null }))
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
    .select(({ fn, selectFrom }) => [
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
  const { paymentId, paymentStatus } = found;
  const isRefundable = REFUNDABLE.some((status) => status === paymentStatus);
  const taken = paymentId !== null && isRefundable ? await readTaken(em, paymentId) : null;
  return {
    ...found,
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
