import { html, type HtmlSafeString } from '@prairielearn/html';
import { returnedAfter } from '../../../domain/billing/ledger/booking.ts';
import { formatMoney, writeAmount } from '../../../domain/shared/money.ts';
import type {
  RefundLine,
  SaleDetail,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { REFUND_REASONS } from '../../../domain/billing/refunds/refund-status.ts';
import type { View } from '../../http/route.ts';
import { field, formFields, select, type Draft } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { blockNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import {
  describeReason,
  writePrice,
  purchasesPath,
  REASON_WORDS,
  refundMark,
  saleMark,
} from './purchase-labels.ts';

export type RefundDraft = Draft<'amount' | 'reason'>;

type Props = {
  product: FramedProduct;
  sale: SaleDetail;
  /** The page where an operator sees the workflow of the purchase. */
  workflowUrl: string | null;
  /** The reason why this viewer may not refund. */
  blockReason: string | null;
  draft: RefundDraft | null;
};

export function purchasePage(props: Props): View {
  const { product, sale, workflowUrl } = props;
  return {
    title: `Purchase of ${product.name}`,
    ...productFrame(
      product,
      '/purchases',
      html`Purchase <code class="id">${sale.purchaseId}</code>`,
    ),
    content: html`
      <p><a href="${purchasesPath(product.slug)}">Purchases</a></p>
      ${facts(sale)}
      ${workflowUrl === null ? '' : html`<p><a href="${workflowUrl}">Workflow in Temporal</a></p>`}
      <section>
        <h2>Refunds</h2>
        ${table({
          label: 'Refunds',
          rows: sale.refunds,
          empty: 'No refunds yet.',
          columns: {
            Requested: ({ createdAt }: RefundLine) => instant(createdAt),
            Amount: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
            Status: refundMark,
            'Requested by': ({ askedBy }) => askedBy ?? '',
            Reason: ({ reason }) => describeReason(reason),
          },
        })}
      </section>
      ${refundSection(props)}
    `,
  };
}

function facts(sale: SaleDetail): HtmlSafeString {
  const { currency, cutMinor, refundedMinor, clearedAt, charges } = sale;
  const campaign = sale.serviceCampaign ?? sale.serviceCampaignRaw;
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${saleMark(sale)}</dd>
    <dt>Buyer</dt>
    <dd>${sale.handle}</dd>
    <dt>${charges > 1 ? 'Last charge' : 'Amount'}</dt>
    <dd>${writePrice(sale)}</dd>
    ${cutMinor === null ? '' : fee({ ...sale, cutMinor })}
    <dt>${charges > 1 ? `Refunded (${charges} charges)` : 'Refunded'}</dt>
    <dd>${formatMoney(refundedMinor, currency)}</dd>
    <dt>Started</dt>
    <dd>${instant(sale.createdAt)}</dd>
    ${
      clearedAt === null
        ? ''
        : html`<dt>Paid</dt>
            <dd>${instant(clearedAt)}</dd>`
    }
    <dt>Source</dt>
    <dd>${sentenceCase(sale.serviceSource)}</dd>
    ${
      campaign === null || campaign === ''
        ? ''
        : html`<dt>Campaign</dt>
            <dd>${campaign}</dd>`
    }
  </dl>`;
}

/** What the seller has of the charge, after what went back. */
function fee(sale: SaleDetail & { cutMinor: number }): HtmlSafeString {
  const { amountMinor: grossMinor, cutMinor, currency } = sale;
  const payment = { grossMinor, cutMinor };
  const { returnedMinor, cutReturnedMinor } = returnedAfter(payment, sale.returnedMinor);
  const receivedMinor = grossMinor - returnedMinor - cutMinor + cutReturnedMinor;
  return html`<dt>Platform fee</dt>
    <dd>${formatMoney(cutMinor, currency)}</dd>
    ${
      returnedMinor === 0
        ? ''
        : html`<dt>Platform fee returned</dt>
            <dd>${formatMoney(cutReturnedMinor, currency)}</dd>`
    }
    ${
      sale.clearedAt === null
        ? ''
        : html`<dt>You receive</dt>
            <dd>${formatMoney(receivedMinor, currency)}</dd>`
    }`;
}

function refundSection({ product, sale, blockReason, draft }: Props): HtmlSafeString | '' {
  if (sale.refundableMinor === 0) return '';
  if (blockReason !== null) return blockNotice(blockReason);
  const { refundableMinor, currency } = sale;
  const fields = formFields(draft, {
    amount: writeAmount(refundableMinor, currency),
    reason: 'requested_by_customer',
  });
  return html`<article>
    <h2>Refund</h2>
    <form method="get" action="${purchasesPath(product.slug)}/${sale.purchaseId}/refund">
      ${field(
        fields('amount', {
          label: `Amount in ${currency}`,
          hint: `Up to ${formatMoney(refundableMinor, currency)}. A full refund removes access; a partial refund keeps it.`,
        }),
      )}
      ${select(
        fields('reason', {
          label: 'Reason',
          options: REFUND_REASONS.map((value) => ({ value, label: REASON_WORDS[value] })),
        }),
      )}
      <button type="submit">Refund</button>
    </form>
  </article>`;
}
