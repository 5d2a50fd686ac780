import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import {
  findReceiptOf,
  type ReceiptView,
} from '../../../domain/billing/receipts/receipt.repository.ts';
import {
  findChargeReceiptOf,
  type ChargeReceipt,
} from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import { page } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import type { PurchaseState } from '../../html/status-pills.ts';
import { MEMBER } from '../subscriptions/member.page.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';
import { subscriptionPath } from '../subscriptions/renewal.page.ts';
import { receiptPage } from './receipt.page.ts';
import { given } from '../../http/fields.ts';

const PURCHASE_ID = publicIdPattern('pay_');
const PAYMENT_ID = publicIdPattern('ch_');

const shown = {
  ...SESSION_PAGE,
  input: { params: z.object({ id: given(30) }) },
} as const;

const showReceipt = defineRoute({
  ...shown,
  path: '/purchases/:id/receipt',
  summary: 'Show the receipt of a purchase',
  async handler(context) {
    const { services, params, currentUser: buyer } = context;
    const key = { personId: buyer.personId, purchaseId: params.id };
    const isId = PURCHASE_ID.test(params.id);
    const found = isId ? await findReceiptOf(services.database.em(), key) : null;
    if (!found) throw new HttpError('not_found');
    const receipt = { ...found, reference: found.purchaseId, state: purchaseState(found) };
    return page(
      context,
      receiptPage({ receipt, buyer, back: { path: MY_PURCHASES, label: 'Purchases' } }),
    );
  },
});

const showChargeReceipt = defineRoute({
  ...shown,
  path: '/receipts/:id',
  summary: 'Show the receipt of a subscription payment',
  async handler(context) {
    const { services, params, currentUser: buyer } = context;
    const key = { personId: buyer.personId, paymentId: params.id };
    const isId = PAYMENT_ID.test(params.id);
    const found = isId ? await findChargeReceiptOf(services.database.em(), key) : null;
    if (!found) throw new HttpError('not_found');
    const receipt = { ...found, reference: found.paymentId, state: chargeState(found) };
    return page(context, receiptPage({ receipt, buyer, back: backFrom(found) }));
  },
});

function backFrom({ subscriptionId }: ChargeReceipt) {
  return subscriptionId === null
    ? { path: MEMBER, label: 'Member' }
    : { path: subscriptionPath({ subscriptionId }), label: 'Subscription' };
}

function purchaseState({ status, paymentStatus }: ReceiptView): PurchaseState {
  if (status === 'refunded' || status === 'charged_back') return { status };
  return { status: 'cleared', isPartlyRefunded: paymentStatus === 'partially_refunded' };
}

function chargeState({ status, isTakenBack }: ChargeReceipt): PurchaseState {
  if (status === 'refunded') return { status: isTakenBack ? 'charged_back' : 'refunded' };
  return { status: 'cleared', isPartlyRefunded: status === 'partially_refunded' };
}

export const routes = [showReceipt, showChargeReceipt];
