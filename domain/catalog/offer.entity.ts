import { defineEntity, p } from '@mikro-orm/core';
import { Product } from './product.entity.ts';

const OFFER_KINDS = ['one_time', 'monthly', 'yearly'] as const;

/** Grows with offers of products; kept for good. */
export const Offer = defineEntity({
  name: 'Offer',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    kind: p.enum(OFFER_KINDS),
    isDefault: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
    prices: () => p.oneToMany(Price).mappedBy('offerId'),
  },
  indexes: [
    { name: 'offer_of_product', properties: ['productId'], where: `retired_at is null` },
    { name: 'offer_product', properties: ['productId'] },
  ],
  uniques: [
    {
      name: 'offer_default',
      properties: ['productId'],
      where: `is_default and retired_at is null`,
    },
  ],
});

/**
 * A version of a price: a new price retires the old one, nothing is edited.
 * Grows with changes of prices; kept for good.
 */
export const Price = defineEntity({
  name: 'Price',
  properties: {
    id: p.uuid().primary(),
    offerId: () => p.manyToOne(Offer).mapToPk().joinColumn('offer_id'),
    currency: p.character().length(3),
    amountMinor: p.bigint('number'),
    isBase: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    retiredAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'price_offer', properties: ['offerId', 'createdAt', 'id'] }],
  uniques: [
    { name: 'price_active', properties: ['offerId', 'currency'], where: `retired_at is null` },
    { name: 'price_base', properties: ['offerId'], where: `is_base and retired_at is null` },
  ],
  checks: [
    { name: 'price_currency_check', expression: `currency ~ '^[A-Z]{3}$'` },
    {
      name: 'price_amount_minor_check',
      expression: `amount_minor >= 1 and amount_minor <= 999999999999`,
    },
  ],
});
