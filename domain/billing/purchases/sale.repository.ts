import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { PurchaseStatus } from './purchase-status.ts';
import { readTaken } from '../refunds/request-refund.repository.ts';
import { REFUNDABLE, refundableMinor, type RefundStatus } from '../refunds/refund-status.ts';

/** A purchase as its seller sees it. */
export type SaleLine = {
  purchaseId: string;
  handle: string;
  status: PurchaseStatus;
  amountMinor: number;
  refundedMinor: number;
  currency: string;
  createdAt: Date;
};

type Numeric = 'amountMinor' | 'refundedMinor' | 'createdAt';
type Row = Omit<SaleLine, Numeric> & Record<Numeric, string>;

const PAGE = 50;

// The received amount, where anything was received: it may differ from the agreed amount.
const LINE = `
  p.id as "purchaseId", o.handle, p.status, p.refunded_minor as "refundedMinor",
  coalesce(y.gross_minor, c.amount_minor) as "amountMinor",
  coalesce(y.currency, c.currency) as currency, p.created_at as "createdAt"`;

// A renewal that failed stands behind the last charge that came: that charge can be refunded.
const JOINED = `
  from purchase p join checkout c on c.id = p.checkout_id join person o on o.id = p.person_id
  left join lateral (
    select id, gross_minor, cut_minor, currency, status, returned_minor from payment
    where purchase_id = p.id
    order by status in ('failed', 'canceled'), created_at desc, id desc limit 1
  ) y on true`;

/**
 * A page of a product's purchases, the newest first; `next` is the id of the last one when others
 * follow.
 */
export async function listSales(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
): Promise<{ sales: SaleLine[]; next: string | null }> {
  const found = await rows<Row>(
    em,
    `select ${LINE} ${JOINED}
     where p.product_id = ? and (?::text is null or (p.created_at, p.id) < (
       select created_at, id from purchase where product_id = ? and id = ?))
     order by p.created_at desc, p.id desc limit ?`,
    [productId, before, productId, before, PAGE + 1],
  );
  const sales = found.slice(0, PAGE).map(present);
  return { sales, next: found.length > PAGE ? sales.at(-1)!.purchaseId : null };
}

export type RefundLine = {
  refundId: string;
  status: RefundStatus;
  amountMinor: number;
  currency: string;
  /** Null for refunds of the platform or the processor. */
  askedBy: string | null;
  reason: string | null;
  failure: string | null;
  createdAt: Date;
};

export type SaleDetail = SaleLine & {
  clearedAt: Date | null;
  serviceSource: string;
  serviceCampaign: string | null;
  cutMinor: number | null;
  /** The charge that may be refunded: a subscription's last one. */
  paymentId: string | null;
  /** The returned amount of that charge. */
  returnedMinor: number;
  refundableMinor: number;
  /** The number of a subscription's charges. */
  charges: number;
  /** The refunds of all charges. */
  refunds: RefundLine[];
};

type DetailRow = Row & {
  clearedAt: string | null;
  serviceSource: string;
  serviceCampaign: string | null;
  cutMinor: string | null;
  paymentId: string | null;
  paymentStatus: string | null;
  returnedMinor: string | null;
  charges: number;
};

/** Finds a purchase of a product; null for a purchase of another product. */
export async function findSale(
  em: EntityManager,
  key: { productId: string; purchaseId: string },
): Promise<SaleDetail | null> {
  const [row] = await rows<DetailRow>(
    em,
    `select ${LINE}, p.cleared_at as "clearedAt", p.service_source as "serviceSource",
       p.service_campaign as "serviceCampaign", y.cut_minor as "cutMinor", y.id as "paymentId",
       y.status as "paymentStatus", y.returned_minor as "returnedMinor",
       (select count(*)::int from payment where purchase_id = p.id) as charges
     ${JOINED} where p.id = ? and p.product_id = ?`,
    [key.purchaseId, key.productId],
  );
  if (!row) return null;
  const { paymentId, paymentStatus, cutMinor, clearedAt, returnedMinor, ...line } = row;
  const isRefundable = paymentId !== null && REFUNDABLE.includes(paymentStatus ?? '');
  return {
    ...line,
    ...present(row),
    paymentId,
    returnedMinor: Number(returnedMinor ?? 0),
    clearedAt: clearedAt === null ? null : new Date(clearedAt),
    cutMinor: cutMinor === null ? null : Number(cutMinor),
    refundableMinor: isRefundable ? refundableMinor(await readTaken(em, paymentId)) : 0,
    refunds: await listRefunds(em, key.purchaseId),
  };
}

async function listRefunds(em: EntityManager, purchaseId: string): Promise<RefundLine[]> {
  type Found = Omit<RefundLine, 'amountMinor' | 'createdAt'> & {
    amountMinor: string;
    createdAt: string;
  };
  const found = await rows<Found>(
    em,
    `select r.id as "refundId", r.status, r.amount_minor as "amountMinor", r.currency,
       o.handle as "askedBy", r.reason, r.failure, r.created_at as "createdAt"
     from refund r join payment y on y.id = r.payment_id
     left join person o on o.id = r.requested_by
     where y.purchase_id = ? order by r.created_at desc, r.id desc limit 200`,
    [purchaseId],
  );
  return found.map((refund) => ({
    ...refund,
    amountMinor: Number(refund.amountMinor),
    createdAt: new Date(refund.createdAt),
  }));
}

function present(row: Row): SaleLine {
  const { purchaseId, handle, status, currency } = row;
  return {
    purchaseId,
    handle,
    status,
    currency,
    amountMinor: Number(row.amountMinor),
    refundedMinor: Number(row.refundedMinor),
    createdAt: new Date(row.createdAt),
  };
}
