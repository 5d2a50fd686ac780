import { defineEntity, p } from '@mikro-orm/core';

/** What products may be priced and sold in. */
export const EnabledCurrency = defineEntity({
  name: 'EnabledCurrency',
  properties: {
    currency: p.character().length(3).primary(),
    enabledAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
