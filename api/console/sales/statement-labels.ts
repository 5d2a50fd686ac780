import { writeAmount } from '../../../domain/shared/money.ts';
import { writeCsv } from '../../http/csv.ts';
import type { StatementEntry } from '../../../domain/billing/ledger/seller-statement.query.ts';
import type { GrossPart, SellerKind } from '../../../domain/billing/ledger/seller-statement.ts';
import { productPath } from '../console-frame.ts';

export function statementsPath(slug: string): string {
  return `${productPath(slug)}/statements`;
}

export const KIND_WORDS: Record<SellerKind, string> = {
  gross: 'Paid',
  cut: 'Platform fee',
  refund: 'Refunds',
  reversal: 'Failed refunds',
  cut_returned: 'Platform fee refunded',
  chargeback: 'Disputes',
  dispute_fee: 'Dispute fees',
};

export const PART_WORDS: Record<GrossPart, string> = {
  net: 'You receive',
  cut: 'Platform fee',
  back: 'Refunds and disputes',
  fees: 'Dispute fees',
};

export function writeEntries(batches: AsyncIterable<StatementEntry[]>, { name }: { name: string }) {
  return writeCsv(batches, {
    time_utc: ({ at }) => at.toISOString(),
    product: () => name,
    kind: ({ kind }) => kind,
    amount: ({ amountMinor, currency }) => ({ exact: writeAmount(amountMinor, currency) }),
    amount_minor: ({ amountMinor }) => amountMinor,
    currency: ({ currency }) => currency,
    purchase_id: ({ purchaseId }) => purchaseId,
    payment_id: ({ paymentId }) => paymentId,
    refund_id: ({ refundId }) => refundId,
    dispute_id: ({ disputeId }) => disputeId,
    reason: ({ reason }) => reason,
    entry_id: ({ id }) => id,
  });
}
