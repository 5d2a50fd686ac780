import { defineEntity, p } from '@mikro-orm/core';
import { Purchase } from '../purchases/purchase.entity.ts';

/**
 * Made once, when a purchase first clears; later events of the money are read from the payment. It
 * keeps the names of its day.
 * Grows with purchases that cleared; kept for good.
 */
export const Receipt = defineEntity({
  name: 'Receipt',
  properties: {
    purchaseId: () => p.manyToOne(Purchase).mapToPk().joinColumn('purchase_id').primary(),
    productName: p.text(),
    sellerName: p.text(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    issuedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  checks: [{ name: 'receipt_gross_minor_check', expression: `gross_minor > 0` }],
});
