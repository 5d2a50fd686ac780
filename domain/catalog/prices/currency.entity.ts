import { defineEntity, p } from '@mikro-orm/core';

/** The currencies in which products may be priced and sold. */
export const EnabledCurrency = defineEntity({
  name: 'EnabledCurrency',
  properties: {
    currency: p.character().length(3).primary(),
    enabledAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
