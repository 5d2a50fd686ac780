import { defineEntity, p } from '@mikro-orm/core';

const OFFER_KINDS = ['one_time', 'monthly', 'yearly'] as const;

export const Offer = defineEntity({
  name: 'Offer',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    kind: p.enum(OFFER_KINDS),
    isDefault: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
  },
});

/** A version of a price: a new price retires the old one, nothing is edited. */
export const Price = defineEntity({
  name: 'Price',
  properties: {
    id: p.uuid().primary(),
    offerId: p.uuid(),
    currency: p.character().length(3),
    amountMinor: p.bigint('number'),
    isBase: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
  },
});
