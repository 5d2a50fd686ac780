import { defineEntity, p } from '@mikro-orm/core';

export const Click = defineEntity({
  name: 'Click',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    /** `buy-link:<campaign>`, or `buy-link` without a campaign. */
    source: p.text(),
    campaign: p.text().strictNullable(),
    raw: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
