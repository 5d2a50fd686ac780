import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';

/**
 * A version of Member's price in a currency. It is retired and never edited: a member keeps the
 * terms of the first payment.
 * Grows with changes of the price of Member; kept for good.
 */
export const MemberPrice = defineEntity({
  name: 'MemberPrice',
  properties: {
    id: p.uuid().primary(),
    currency: p.character().length(3),
    billingInterval: p.enum(['month', 'year'] as const),
    amountMinor: p.bigint('number'),
    setBy: () => p.manyToOne(Person).mapToPk().joinColumn('set_by').strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    {
      name: 'member_price_active',
      properties: ['currency', 'billingInterval'],
      where: `retired_at is null`,
    },
  ],
  checks: [{ name: 'member_price_amount_minor_check', expression: `amount_minor > 0` }],
});
