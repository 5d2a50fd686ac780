import { defineEntity, p } from '@mikro-orm/core';

/** A version of Member's price in a currency; it is retired and never edited. */
export const MemberPrice = defineEntity({
  name: 'MemberPrice',
  properties: {
    id: p.uuid().primary(),
    currency: p.character().length(3),
    billingInterval: p.enum(['month', 'year'] as const),
    amountMinor: p.bigint('number'),
    setBy: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
  },
});
