import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney, writeAmount } from '../../../domain/shared/money.ts';
import type { SaleMoment } from '../../../domain/billing/purchases/sale-history.repository.ts';
import type { SaleDetail } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { REFUND_REASONS } from '../../../domain/billing/refunds/refund-status.ts';
import type { View } from '../../http/route.ts';
import { copyable, cutId } from '../../html/copy.ts';
import { field, select } from '../../html/parts/field.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { instant } from '../../html/dates.ts';
import { blockNotice } from '../../html/notices.ts';
import { OFFER_NAMES } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { sums, type Sum } from '../../html/parts/sums.ts';
import { factList } from '../../html/parts/facts.ts';
import { withAside } from '../../html/parts/beside.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { history } from './purchase-history.ts';
import {
  campaignOf,
  purchasesPath,
  REASON_WORDS,
  salePill,
  splitCharge,
  writeSource,
} from './purchase-labels.ts';

export type RefundDraft = Draft<'amount' | 'reason'>;

type Props = {
  product: FramedProduct;
  sale: SaleDetail;
  moments: SaleMoment[];
  /** The page where an operator sees the workflow of the purchase. */
  workflowUrl: string | null;
  /** The reason why this viewer may not refund. */
  blockReason: string | null;
  draft: RefundDraft | null;
};

export function purchasePage(props: Props): View {
  const { product, sale, moments } = props;
  const { amountMinor, currency } = sale;
  return {
    title: `Purchase of ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/purchases', money(amountMinor, currency), {
      trail: [
        { path: purchasesPath(product.slug), label: 'Purchases' },
        { label: cutId(sale.purchaseId) },
      ],
      state: html`${salePill(sale)}
        <span class="muted">by @${sale.handle}, ${instant(sale.createdAt)}</span>`,
      actions: actions(props),
    }),
    content: withAside(
      html`${card({ title: 'What happened', facts: 'Times in UTC', body: history(sale, moments) })}
      ${refundCard(props)}`,
      html`${moneyCard(props)} ${card({ title: 'Buyer', body: buyer(sale) })}`,
    ),
  };
}

function actions({ workflowUrl }: Props): HtmlSafeString {
  if (workflowUrl === null) return html``;
  return button({ text: 'Workflow in Temporal', href: workflowUrl, isExternal: true });
}

/** The last charge line by line; refunds of earlier charges are told beside it. */
function moneyCard({ product, sale }: Props): HtmlSafeString {
  const { currency, charges, refundedMinor } = sale;
  const charge = splitCharge(sale);
  const amount = (amountMinor: number) => money(amountMinor, currency);
  const around = {
    title: 'Money',
    ...(charges > 1 && { facts: `Last of ${charges} charges` }),
    ...(sale.isDisputed && {
      foot: html`<span>The buyer's bank disputes this payment.</span>
        <a href="${productPath(product.slug)}/disputes">See dispute</a>`,
    }),
  };
  const all: Sum[] =
    charges > 1 ? [[`Refunded of ${charges} charges`, amount(0 - refundedMinor)]] : [];
  if (charge === null) {
    const waiting: Sum = [
      sale.status === 'clearing' ? 'Being paid' : 'To pay',
      amount(sale.amountMinor),
    ];
    return card({ ...around, body: sums([waiting, ...all]) });
  }
  const { grossMinor, cutMinor, returnedMinor, cutReturnedMinor, receivedMinor } = charge;
  const returned: Sum[] = [
    [
      sale.status === 'charged_back' ? 'Returned by the bank' : 'Refunded to the buyer',
      amount(0 - returnedMinor),
    ],
    ['Platform fee refunded', amount(cutReturnedMinor)],
  ];
  const lines: Sum[] = [
    ['Paid', amount(grossMinor)],
    ['Platform fee', amount(0 - cutMinor)],
    ...(returnedMinor === 0 ? [] : returned),
  ];
  return card({
    ...around,
    body: html`${sums(lines, ['You receive', amount(receivedMinor)])}
    ${all.length === 0 ? '' : sums(all)}`,
  });
}

function buyer(sale: SaleDetail): HtmlSafeString {
  const campaign = campaignOf(sale);
  const id = copyable({
    id: 'purchase',
    label: 'purchase ID',
    text: sale.purchaseId,
    isLine: true,
  });
  return html`${factList([
    ['Handle', html`<strong>@${sale.handle}</strong>`],
    ['Offer', OFFER_NAMES[sale.kind]],
    ['Came from', writeSource(sale)],
    campaign !== null && ['Campaign', campaign],
  ])}
  ${factList([['Purchase ID', id]], 'above')}`;
}

function refundCard({ product, sale, blockReason, draft }: Props): HtmlSafeString | '' {
  if (sale.refundableMinor === 0) return '';
  if (blockReason !== null) return blockNotice(blockReason);
  const { refundableMinor, currency, handle } = sale;
  const fields = formFields(draft, {
    amount: writeAmount(refundableMinor, currency),
    reason: 'requested_by_customer',
  });
  return html`<div id="refund">
    ${card({
      title: 'Refund',
      facts: `Up to ${formatMoney(refundableMinor, currency)} can go back`,
      body: html`<form
        method="get"
        action="${purchasesPath(product.slug)}/${sale.purchaseId}/refund"
      >
        <div class="pair">
          ${field(fields('amount', { label: 'Amount', unit: currency }))}
          ${select(
            fields('reason', {
              label: 'Reason',
              options: REFUND_REASONS.map((value) => ({ value, label: REASON_WORDS[value] })),
            }),
          )}
        </div>
        ${note({
          tone: 'warn',
          more: `A full refund closes the access of @${handle} at once. A part of it leaves the access open. The next page asks you to confirm.`,
        })}
        ${button({ text: 'Continue to refund', kind: 'warns', icon: 'rotate-cw' })}
      </form>`,
    })}
  </div>`;
}
