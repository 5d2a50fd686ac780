import { defineEntity, p } from '@mikro-orm/core';
import { Membership } from '../../entitlements/memberships/membership.entity.ts';
import { Subscription } from '../product-subscriptions/subscription.entity.ts';
import { Purchase } from './purchase.entity.ts';

const PAYMENT_STATUSES = [
  'pending',
  'clearing',
  'succeeded',
  'partially_refunded',
  'refunded',
  'failed',
  'canceled',
] as const;

/** Grows with charges; kept for good. */
export const Payment = defineEntity({
  name: 'Payment',
  properties: {
    id: p.text().primary(),
    /** Is null for a payment for Member. */
    purchaseId: () => p.manyToOne(Purchase).mapToPk().joinColumn('purchase_id').strictNullable(),
    membershipId: () =>
      p.manyToOne(Membership).mapToPk().joinColumn('membership_id').strictNullable(),
    grossMinor: p.bigint('number'),
    currency: p.character().length(3),
    cutMinor: p.bigint('number'),
    status: p.enum(PAYMENT_STATUSES),
    processorId: p.text().unique(),
    subscriptionId: () =>
      p.manyToOne(Subscription).mapToPk().joinColumn('subscription_id').strictNullable(),
    /** The period that the payment pays for, of a subscription. */
    periodStart: p.datetime(3).strictNullable(),
    periodEnd: p.datetime(3).strictNullable(),
    /** The amount that refunds and lost disputes returned. */
    returnedMinor: p.bigint('number').default('0'),
    /** The processor's fee of a charge for Member; null while it is not known. */
    processorFeeMinor: p.bigint('number').strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    {
      name: 'payment_membership',
      properties: ['membershipId', 'periodStart'],
      where: `membership_id is not null`,
    },
    // Of Member's charges: the first one in a currency, and those of a month.
    {
      name: 'payment_member_money',
      properties: ['currency', 'createdAt'],
      where: `membership_id is not null`,
    },
    { name: 'payment_purchase', properties: ['purchaseId'] },
    {
      name: 'payment_subscription',
      properties: ['subscriptionId', 'periodStart'],
      where: `subscription_id is not null`,
    },
  ],
  checks: [
    { name: 'payment_gross_minor_check', expression: `gross_minor > 0` },
    { name: 'payment_cut', expression: `cut_minor >= 0 and cut_minor <= gross_minor` },
    { name: 'payment_returned_minor_check', expression: `returned_minor >= 0` },
    {
      name: 'payment_processor_fee',
      expression: `processor_fee_minor is null or (processor_fee_minor >= 0 and membership_id is not null)`,
    },
    { name: 'payment_for', expression: `num_nonnulls(purchase_id, membership_id) = 1` },
    {
      name: 'payment_period',
      expression: `num_nonnulls(period_start, period_end) in (0, 2) and (period_start is null or num_nonnulls(subscription_id, membership_id) = 1)`,
    },
  ],
});
