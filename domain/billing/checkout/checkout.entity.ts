import { defineEntity, p } from '@mikro-orm/core';

const CHECKOUT_STATUSES = ['open', 'paid', 'expired', 'abandoned', 'replaced'] as const;

/** A snapshot of the offer that the buyer saw: later edits do not change the order. */
export const Checkout = defineEntity({
  name: 'Checkout',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    productId: p.uuid(),
    offerId: p.uuid(),
    priceId: p.uuid(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** The platform's cut at that moment. */
    feeBasisPoints: p.integer().defaultRaw('platform_fee_now()'),
    status: p.enum(CHECKOUT_STATUSES).default('open'),
    sessionId: p.text().strictNullable(),
    sessionUrl: p.text().strictNullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
