import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Checkout } from '../checkout/checkout.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { SERVICE_SOURCES } from '../checkout/attribution.ts';
import { PURCHASE_STATUSES } from './purchase-status.ts';

/** Grows with purchases; kept for good. */
export const Purchase = defineEntity({
  name: 'Purchase',
  properties: {
    id: p.text().primary(),
    checkoutId: () => p.manyToOne(Checkout).mapToPk().joinColumn('checkout_id').unique(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    status: p.enum(PURCHASE_STATUSES).default('pending'),
    serviceSource: p.enum(SERVICE_SOURCES),
    serviceCampaign: p.text().strictNullable(),
    serviceCampaignRaw: p.text().strictNullable(),
    /** The last sequence taken, and the newest one whose reading of the processor was applied. */
    sequence: p.bigint('number').default('0'),
    appliedSequence: p.bigint('number').default('0'),
    /**
     * The instant at which reconciliation asks the processor by itself; null when there is nothing
     * left to ask.
     */
    askAgainAt: p
      .datetime(3)
      .strictNullable()
      .defaultRaw(`(gatehouse_now() + '00:10:00'::interval)`),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    clearedAt: p.datetime(3).strictNullable(),
    /**
     * The amount that refunds and lost disputes returned, and the time at which all of it was back.
     */
    refundedMinor: p.bigint('number').default('0'),
    refundedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'purchase_ask_again',
      properties: ['askAgainAt', 'id'],
      where: `ask_again_at is not null`,
    },
    { name: 'purchase_of_person', properties: ['personId', 'id'] },
    { name: 'purchase_person', properties: ['personId', 'productId'] },
    { name: 'purchase_product', properties: ['productId', 'createdAt', 'id'] },
    // The purchases of a product in one state, and how many there are.
    {
      name: 'purchase_product_status',
      properties: ['productId', 'status', 'createdAt', 'id'],
    },
  ],
  checks: [{ name: 'purchase_refunded_minor_check', expression: `refunded_minor >= 0` }],
});

export type PurchaseRow = InferEntity<typeof Purchase>;
