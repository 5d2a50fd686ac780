import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Purchase } from '../purchases/purchase.entity.ts';
import { renewalColumns } from '../../entitlements/memberships/renewal-columns.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { Price } from '../../catalog/offer.entity.ts';
import { SUBSCRIPTION_STATUSES } from '../recurring/status-moves.ts';

/**
 * Recurring payments for a product, on the terms of its checkout.
 * Grows with subscriptions; kept for good.
 */
export const Subscription = defineEntity({
  name: 'Subscription',
  properties: {
    id: p.text().primary(),
    purchaseId: () => p.manyToOne(Purchase).mapToPk().joinColumn('purchase_id').unique(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    priceId: () => p.manyToOne(Price).mapToPk().joinColumn('price_id'),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    billingInterval: p.enum(['month', 'year'] as const),
    status: p.enum(SUBSCRIPTION_STATUSES).default('incomplete'),
    /** Set by the first payment; null when it never arrived. */
    beganAt: p.datetime(3).strictNullable(),
    /** The start of the last period whose charge failed, and how many failures were recorded as events. */
    failedPeriod: p.datetime(3).strictNullable(),
    failedAttempts: p.integer().default(0),
    ...renewalColumns(),
  },
  indexes: [
    {
      name: 'subscription_ask_again',
      properties: ['askAgainAt', 'id'],
      where: `ask_again_at is not null`,
    },
    // These hold all columns that the list of subscribers and the months of a product add up.
    {
      name: 'subscription_began',
      properties: ['productId', 'beganAt', 'id'],
      include: ['endedAt', 'currency', 'billingInterval', 'amountMinor'],
      where: `began_at is not null`,
    },
    { name: 'subscription_product', properties: ['productId'], where: `status <> 'ended'` },
    {
      name: 'subscription_renewal',
      properties: ['productId', 'periodEnd'],
      where: `status in ('active', 'past_due')`,
    },
    {
      name: 'subscription_status',
      properties: ['productId', 'status', 'beganAt', 'id'],
      where: `began_at is not null`,
    },
  ],
  uniques: [
    {
      name: 'subscription_live',
      properties: ['personId', 'productId'],
      where: `status in ('active', 'past_due', 'canceling')`,
    },
  ],
  checks: [
    { name: 'subscription_amount_minor_check', expression: `amount_minor > 0` },
    { name: 'subscription_ended', expression: `(status = 'ended') = (ended_at is not null)` },
    {
      name: 'subscription_past_due',
      expression: `status <> 'past_due' or grace_ends_at is not null`,
    },
    {
      name: 'subscription_canceling',
      expression: `status <> 'canceling' or cancel_at is not null`,
    },
    {
      name: 'subscription_begun',
      expression: `status in ('incomplete', 'ended') or began_at is not null`,
    },
  ],
});

export type SubscriptionRow = InferEntity<typeof Subscription>;
