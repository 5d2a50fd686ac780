import type { HtmlSafeString } from '@prairielearn/html';
import { returnedAfter } from '../../../domain/billing/ledger/booking.ts';
import type {
  RefundLine,
  SaleLine,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import type { SaleState } from '../../../domain/billing/purchases/sale-state.ts';
import type { IntentReason } from '../../../domain/billing/refunds/refund-status.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import { writeCsv, type Columns } from '../../http/csv.ts';
import type { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { purchasePill } from '../../html/status-pills.ts';
import { productPath } from '../console-frame.ts';

export function purchasesPath(slug: string): string {
  return `${productPath(slug)}/purchases`;
}

/** The tabs of the list. */
export const STATE_WORDS: Record<SaleState, string> = {
  paid: 'Paid',
  clearing: 'Clearing',
  refunded: 'Refunded',
  disputed: 'Disputed',
  failed: 'Failed',
  unfinished: 'Not finished',
};

/** The state of a purchase in the seller's lists. */
export function salePill({
  status,
  refundedMinor,
  isDisputed,
}: Pick<SaleLine, 'status' | 'refundedMinor' | 'isDisputed'>): HtmlSafeString {
  return purchasePill({ status, isPartlyRefunded: refundedMinor > 0, isDisputed });
}

const SOURCE_WORDS: Partial<Record<SaleLine['serviceSource'], string>> = {
  github: 'GitHub',
  api: 'API',
};

export function writeSource({ serviceSource }: Pick<SaleLine, 'serviceSource'>): string {
  return SOURCE_WORDS[serviceSource] ?? sentenceCase(serviceSource);
}

/** The campaign as it is counted, else as the link had it. */
export function campaignOf(sale: SaleLine): string | null {
  return sale.serviceCampaign ?? (sale.serviceCampaignRaw || null);
}

/** The parts of the last charge; null while nothing of it has arrived. */
export function splitCharge(sale: SaleLine) {
  const { amountMinor: grossMinor, cutMinor, clearedAt } = sale;
  if (cutMinor === null || clearedAt === null) return null;
  const { returnedMinor, cutReturnedMinor } = returnedAfter(
    { grossMinor, cutMinor },
    sale.returnedMinor,
  );
  const receivedMinor = grossMinor - returnedMinor - cutMinor + cutReturnedMinor;
  return { grossMinor, cutMinor, returnedMinor, cutReturnedMinor, receivedMinor };
}

export const REFUND_PILLS: Record<RefundLine['status'], Parameters<typeof pill>[0]> = {
  requested: { word: 'Requested', tone: 'info' },
  submitted: { word: 'In progress', tone: 'info', isLive: true },
  succeeded: { word: 'Refunded', tone: 'neutral' },
  reversed: { word: 'Failed later', tone: 'bad' },
  failed: { word: 'Failed', tone: 'bad' },
  canceled: { word: 'Cancelled', tone: 'neutral' },
};

export const REASON_WORDS: Record<IntentReason, string> = {
  requested_by_customer: 'Requested by the buyer',
  duplicate: 'Paid twice',
  fraudulent: 'Not paid by the owner of the card',
  not_as_agreed: 'Refunded automatically, amount differs from the order',
};

export function describeReason(reason: string | null): string {
  if (reason === null) return 'Refunded at the payment processor';
  return Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason as IntentReason] : reason;
}

const COLUMNS: Columns<SaleLine> = {
  purchase_id: ({ purchaseId }) => purchaseId,
  handle: ({ handle }) => handle,
  offer: ({ kind }) => kind,
  status: ({ status }) => status,
  disputed: ({ isDisputed }) => (isDisputed ? 'yes' : 'no'),
  // The amounts of a row are those of one charge: a subscription's last one.
  amount: ({ amountMinor, currency }) => ({ exact: writeAmount(amountMinor, currency) }),
  amount_minor: ({ amountMinor }) => amountMinor,
  refunded_minor: ({ returnedMinor }) => returnedMinor,
  net_minor: (sale) => splitCharge(sale)?.receivedMinor ?? null,
  currency: ({ currency }) => currency,
  source: ({ serviceSource }) => serviceSource,
  campaign: campaignOf,
  started_utc: ({ createdAt }) => createdAt.toISOString(),
  paid_utc: ({ clearedAt }) => clearedAt?.toISOString() ?? null,
};

export function writeSales(batches: AsyncIterable<SaleLine[]>) {
  return writeCsv(batches, COLUMNS);
}
