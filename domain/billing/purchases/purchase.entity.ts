import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { PURCHASE_STATUSES } from './purchase-status.ts';

const PAYMENT_STATUSES = [
  'pending',
  'clearing',
  'succeeded',
  'partially_refunded',
  'refunded',
  'failed',
  'canceled',
] as const;

export const Purchase = defineEntity({
  name: 'Purchase',
  properties: {
    id: p.text().primary(),
    checkoutId: p.uuid(),
    personId: p.uuid(),
    productId: p.uuid(),
    status: p.enum(PURCHASE_STATUSES).default('pending'),
    serviceSource: p.text(),
    serviceCampaign: p.text().strictNullable(),
    serviceCampaignRaw: p.text().strictNullable(),
    /** The last sequence taken, and the newest one whose reading of the processor was applied. */
    sequence: p.bigint('number').default('0'),
    appliedSequence: p.bigint('number').default('0'),
    /** When reconciliation asks the processor by itself; null when there is nothing left to ask. */
    askAgainAt: p
      .datetime(3)
      .strictNullable()
      .defaultRaw(`gatehouse_now() + interval '10 minutes'`),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    clearedAt: p.datetime(3).strictNullable(),
    /**
     * The amount that refunds and lost disputes returned, and the time at which all of it was back.
     */
    refundedMinor: p.bigint('number').default('0'),
    refundedAt: p.datetime(3).strictNullable(),
  },
});

export type PurchaseRow = InferEntity<typeof Purchase>;

export const Payment = defineEntity({
  name: 'Payment',
  properties: {
    id: p.text().primary(),
    /** Null for a payment for Member. */
    purchaseId: p.text().strictNullable(),
    membershipId: p.uuid().strictNullable(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    cutMinor: p.bigint('number'),
    status: p.enum(PAYMENT_STATUSES),
    processorId: p.text(),
    subscriptionId: p.text().strictNullable(),
    /** The period that the payment pays for, of a subscription. */
    periodStart: p.datetime(3).strictNullable(),
    periodEnd: p.datetime(3).strictNullable(),
    /** The amount that refunds and lost disputes returned. */
    returnedMinor: p.bigint('number').default('0'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
