import { defineEntity, p } from '@mikro-orm/core';

/** Made once, when a purchase first clears; later events of the money are read from the payment. */
export const Receipt = defineEntity({
  name: 'Receipt',
  properties: {
    purchaseId: p.text().primary(),
    productName: p.text(),
    sellerName: p.text(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    issuedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
