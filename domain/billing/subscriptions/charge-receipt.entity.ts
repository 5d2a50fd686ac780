import { defineEntity, p } from '@mikro-orm/core';

/** The receipt of a recurring charge: made once, when its money arrived as agreed. */
export const ChargeReceipt = defineEntity({
  name: 'ChargeReceipt',
  properties: {
    paymentId: p.text().primary(),
    productName: p.text(),
    sellerName: p.text(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    issuedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
