import { defineEntity, p } from '@mikro-orm/core';

/**
 * The currencies in which products may be priced and sold.
 * Grows with currencies that an operator enables; kept until an operator disables the currency;
 * removed by `disableCurrency`.
 */
export const EnabledCurrency = defineEntity({
  name: 'EnabledCurrency',
  properties: {
    currency: p.character().length(3).primary(),
    enabledAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  checks: [{ name: 'enabled_currency_currency_check', expression: `currency ~ '^[A-Z]{3}$'` }],
});
