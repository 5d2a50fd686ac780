import { defineEntity, p } from '@mikro-orm/core';
import { Offer, Price } from '../../catalog/offer.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../../catalog/product.entity.ts';

const CHECKOUT_STATUSES = ['open', 'paid', 'expired', 'abandoned', 'replaced'] as const;

/**
 * A snapshot of the offer that the buyer saw: later edits do not change the order.
 * Grows with checkouts; kept for good.
 */
export const Checkout = defineEntity({
  name: 'Checkout',
  properties: {
    id: p.uuid().primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    offerId: () => p.manyToOne(Offer).mapToPk().joinColumn('offer_id'),
    priceId: () => p.manyToOne(Price).mapToPk().joinColumn('price_id'),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** The fee of the moment: the processor is told the same fee that the ledger books. */
    feeBasisPoints: p.integer().defaultRaw('platform_fee_now()'),
    status: p.enum(CHECKOUT_STATUSES).default('open'),
    sessionId: p.text().strictNullable().unique(),
    sessionUrl: p.text().strictNullable(),
    /** The address that the last followed link asked to be led back to. */
    returnTo: p.text().strictNullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    // The open checkouts of a product end when it is removed.
    { name: 'checkout_open_of_product', properties: ['productId'], where: `status = 'open'` },
  ],
  uniques: [
    { name: 'checkout_open', properties: ['personId', 'productId'], where: `status = 'open'` },
  ],
  checks: [
    { name: 'checkout_amount_minor_check', expression: `amount_minor > 0` },
    { name: 'checkout_return_to_check', expression: `length(return_to) <= 2048` },
    {
      name: 'checkout_fee_basis_points_check',
      expression: `fee_basis_points >= 0 and fee_basis_points <= 10000`,
    },
  ],
});
