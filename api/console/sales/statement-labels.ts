import { writeAmount } from '../../../domain/shared/money.ts';
import { writeCsv, type Cell } from '../../http/csv.ts';
import type { StatementEntry } from '../../../domain/billing/ledger/seller-statement.query.ts';
import type { GrossPart, SellerKind } from '../../../domain/billing/ledger/seller-statement.ts';
import { productPath } from '../console-frame.ts';

export function statementsPath(slug: string): string {
  return `${productPath(slug)}/statements`;
}

export const KIND_WORDS: Record<SellerKind, string> = {
  gross: 'Gross',
  cut: 'Platform fee',
  refund: 'Refunds',
  reversal: 'Failed refunds',
  cut_returned: 'Platform fee returned',
  chargeback: 'Disputes',
  dispute_fee: 'Dispute fees',
};

export const PART_WORDS: Record<GrossPart, string> = {
  net: 'Net',
  cut: 'Platform fee',
  back: 'Refunds and disputes',
  fees: 'Dispute fees',
};

const COLUMNS = [
  'time_utc',
  'product',
  'kind',
  'amount',
  'amount_minor',
  'currency',
  'purchase_id',
  'payment_id',
  'refund_id',
  'dispute_id',
  'reason',
  'entry_id',
];

export function writeEntries(
  batches: AsyncIterable<StatementEntry[]>,
  product: { name: string },
): AsyncGenerator<string> {
  return writeCsv(batches, { head: COLUMNS, line: (entry) => toCells(entry, product.name) });
}

function toCells(entry: StatementEntry, productName: string): Cell[] {
  const { at, kind, amountMinor, currency, purchaseId, paymentId, refundId } = entry;
  return [
    at.toISOString(),
    productName,
    kind,
    { exact: writeAmount(amountMinor, currency) },
    amountMinor,
    currency,
    purchaseId,
    paymentId,
    refundId,
    entry.disputeId,
    entry.reason,
    entry.id,
  ];
}
