import { defineEntity, p } from '@mikro-orm/core';
import { Payment } from '../purchases/payment.entity.ts';

/**
 * The receipt of a recurring charge: made once, when its money arrived as agreed.
 * Grows with renewals and payments for Member; kept for good.
 */
export const ChargeReceipt = defineEntity({
  name: 'ChargeReceipt',
  properties: {
    paymentId: () => p.manyToOne(Payment).mapToPk().joinColumn('payment_id').primary(),
    productName: p.text(),
    sellerName: p.text(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    issuedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  checks: [{ name: 'charge_receipt_gross_minor_check', expression: `gross_minor > 0` }],
});
