import { z } from 'zod';
import { isChargeable } from '../../../clients/processor/amounts.ts';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { newPublicId, publicIdPattern } from '../../../domain/shared/ids.ts';
import {
  formatMoney,
  parseAmount,
  writeAmount,
  type AmountProblem,
} from '../../../domain/shared/money.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  requestRefund,
  type IntentRefusal,
} from '../../../domain/billing/refunds/request-refund.repository.ts';
import {
  REFUND_REASONS,
  type RefundReason,
} from '../../../domain/billing/refunds/refund-status.ts';
import type { SaleDetail } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { matching, whole } from '../../http/fields.ts';
import { describeLimit } from '../catalog/typed-price.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type View, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { card } from '../../html/parts/card.ts';
import { withNotice } from '../../html/notices.ts';
import { productFrame } from '../console-frame.ts';
import { auditEntryOn, loadSold } from '../managed-product.ts';
import { purchasesPath } from './purchase-labels.ts';
import { answerSale, loadSale, purchaseRef, PURCHASES, type SaleCall } from './purchases.routes.ts';

const PATH = `${PURCHASES}/:purchase/refund`;

const refundRequest = z.object({ amount: whole(24), reason: z.enum(REFUND_REASONS) });

const refundId = matching(publicIdPattern('re_'), 29);
const paymentId = matching(publicIdPattern('ch_'), 29);

const REFUSALS: Record<IntentRefusal | AmountProblem, string> = {
  not_an_amount: 'Enter an amount such as 12.50.',
  not_positive: 'Enter an amount above zero.',
  too_precise: 'This amount has too many decimals.',
  too_large: 'This is more than can be refunded.',
  too_much: 'This is more than can be refunded.',
  not_refundable: 'Nothing is left to refund.',
  of_another: 'This form belongs to another purchase. Start the refund again here.',
};

const askToRefund = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Ask before a refund',
  // An empty amount means the whole remaining amount.
  input: { params: purchaseRef, query: refundRequest.partial() },
  async handler(context) {
    const product = await loadSold(context, 'refund');
    const sale = await loadSale(context, product);
    const { reason = 'requested_by_customer' } = context.query;
    const { amount = writeAmount(sale.refundableMinor, sale.currency) } = context.query;
    const amountMinor = readAmount(amount, sale);
    if (typeof amountMinor === 'string') {
      return refuse(context, { product, sale, amount, reason, problem: amountMinor });
    }
    const token = sessionFormToken(context);
    return page(context, confirmPage({ product, sale, amountMinor, reason, token }));
  },
});

const refundPurchase = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Refund a purchase',
  proof: 'fresh',
  input: {
    params: purchaseRef,
    body: {
      kind: 'form',
      shape: refundRequest.extend({ refund: refundId, payment: paymentId }),
    },
  },
  async handler(context) {
    const product = await loadSold(context, 'refund');
    const sale = await loadSale(context, product);
    const problem = await request(context, { product, sale, ...context.body });
    if (problem !== null) return refuse(context, { product, sale, ...context.body, problem });
    return redirect(withNotice(salePath(product, sale), 'refund_requested'));
  },
});

type RefundRequest = {
  product: ManagedProduct;
  sale: SaleDetail;
  amount: string;
  reason: RefundReason;
};

/** Returns null once it is asked for; a form that comes twice asks once. */
async function request(
  context: SaleCall,
  given: RefundRequest & { refund: string; payment: string },
): Promise<string | null> {
  const { product, sale, amount, reason, refund: refundId, payment: paymentId } = given;
  const { purchaseId, currency } = sale;
  const parsed = parseAmount(amount, currency);
  if (isRefusal(parsed)) return REFUSALS[parsed.refused];
  const { amountMinor } = parsed;
  if (!isChargeable(amountMinor, currency)) return describeLimit('no_such_step', currency);
  const requestedBy = context.currentUser.personId;
  // The charge that was shown: a renewal may have come since, or all of it may be back.
  const intent = { refundId, purchaseId, paymentId, amountMinor, requestedBy, reason };
  const asked = await context.services.database.transaction(async (em) => {
    const made = await requestRefund(em, intent);
    if (isRefusal(made) || !made.isNew) return made;
    const detail = { purchaseId, amountMinor, currency, reason };
    const what = { action: 'refund.requested', subject: refundId, detail } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    return made;
  });
  return isRefusal(asked) ? REFUSALS[asked.refused] : null;
}

function readAmount(typed: string, { currency, refundableMinor }: SaleDetail): number | string {
  if (refundableMinor === 0) return REFUSALS.not_refundable;
  const parsed = parseAmount(typed, currency);
  if (isRefusal(parsed)) return REFUSALS[parsed.refused];
  const { amountMinor } = parsed;
  if (!isChargeable(amountMinor, currency)) return describeLimit('no_such_step', currency);
  return amountMinor <= refundableMinor ? amountMinor : REFUSALS.too_much;
}

function refuse(context: SaleCall, refused: RefundRequest & { problem: string }) {
  const { product, sale, amount, reason, problem } = refused;
  return answerSale(context, {
    product,
    sale,
    draft: { typed: { amount, reason }, problems: { amount: problem } },
  });
}

type Confirm = Omit<RefundRequest, 'amount'> & { amountMinor: number; token: string };

function confirmPage({ product, sale, amountMinor, reason, token }: Confirm): View {
  const { currency, handle, amountMinor: grossMinor, returnedMinor, paymentId } = sale;
  const price = formatMoney(amountMinor, currency);
  const isAll = returnedMinor + amountMinor >= grossMinor;
  return {
    title: `Refund ${price}`,
    ...productFrame(product, '/purchases', `Refund ${price}`),
    content: card({
      title: `Refund ${price} of ${formatMoney(grossMinor, currency)} to @${handle}?`,
      body: confirmation({
        action: `${salePath(product, sale)}/refund`,
        token,
        button: `Refund ${price}`,
        sentences: [
          isAll
            ? `@${handle} loses the access that this payment gave.`
            : `@${handle} keeps access.`,
          "This can't be undone.",
        ],
        wayOut: { path: salePath(product, sale), label: 'Cancel' },
        hidden: {
          amount: writeAmount(amountMinor, currency),
          reason,
          refund: newPublicId('re_'),
          payment: paymentId ?? '',
        },
      }),
    }),
  };
}

function salePath({ slug }: ManagedProduct, { purchaseId }: SaleDetail): string {
  return `${purchasesPath(slug)}/${purchaseId}`;
}

export const routes = [askToRefund, refundPurchase];
