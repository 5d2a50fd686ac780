import { rows, type EntityManager } from '../../../platform/database/database.ts';
import {
  composeStatements,
  type KindSum,
  type SellerKind,
  type Statement,
} from './seller-statement.ts';

type Span = { productId: string; from: Date; to: Date };

type Selection = { sql: string; values: (string | Date | number | null)[] };

// The seller's entries of a product: one range of one index.
const OF_SELLER = `e.product_id = ? and e.account = 'seller'
  and e.created_at >= ? and e.created_at < ?`;

/** SQL: the sums of each month, currency and kind. */
export function selectSums({ productId, from, to }: Span): Selection {
  const sql = `select to_char(e.created_at at time zone 'UTC', 'YYYY-MM') as month, e.currency,
      e.kind, sum(e.amount_minor)::bigint as "sumMinor", count(*)::int as entries
    from ledger_entry e where ${OF_SELLER} group by 1, 2, 3`;
  return { sql, values: [productId, from, to] };
}

/** Each month and currency in which anything was booked to the seller of a product. */
export async function listStatements(em: EntityManager, span: Span): Promise<Statement[]> {
  const { sql, values } = selectSums(span);
  return composeStatements(await rows<KindSum>(em, sql, values));
}

export type StatementEntry = {
  id: string;
  at: Date;
  kind: SellerKind;
  amountMinor: number;
  currency: string;
  purchaseId: string;
  paymentId: string;
  refundId: string | null;
  disputeId: string | null;
  /** The refund's reason, or the processor's name of the dispute's. */
  reason: string | null;
};

type Place = { at: Date; id: string } | null;

/** SQL: the entries after a given one, the oldest first. */
export function selectEntries(span: Span & { place: Place; limit: number }): Selection {
  const { productId, from, to, place, limit } = span;
  const sql = `select e.id::text, e.created_at as at, e.kind, e.amount_minor as "amountMinor",
      e.currency, y.purchase_id as "purchaseId", e.payment_id as "paymentId",
      e.refund_id as "refundId", e.dispute_id as "disputeId", coalesce(r.reason, d.reason) as reason
    from (
      select e.* from ledger_entry e where ${OF_SELLER} and (e.created_at, e.id) > (?, ?)
      order by e.created_at, e.id limit ?
    ) e join payment y on y.id = e.payment_id
    left join refund r on r.id = e.refund_id left join dispute d on d.id = e.dispute_id
    order by e.created_at, e.id`;
  const { at, id } = place ?? { at: from, id: '0' };
  return { sql, values: [productId, from, to, at, id, limit] };
}

const BATCH = 1_000;

/** Reads all entries batch by batch: a slow reader keeps no transaction open. */
export async function* readEntries(
  em: () => EntityManager,
  span: Span,
): AsyncGenerator<StatementEntry[]> {
  let place: Place = null;
  for (;;) {
    const { sql, values } = selectEntries({ ...span, place, limit: BATCH });
    const found: StatementEntry[] = await rows(em(), sql, values);
    yield found;
    if (found.length < BATCH) return;
    place = found.at(-1)!;
  }
}
