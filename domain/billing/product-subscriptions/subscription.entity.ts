import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { SUBSCRIPTION_STATUSES } from '../subscriptions/subscription-status.ts';

/** Money that comes again and again, on the terms that its person was shown when it began. */
export const Subscription = defineEntity({
  name: 'Subscription',
  properties: {
    id: p.text().primary(),
    purchaseId: p.text(),
    personId: p.uuid(),
    productId: p.uuid(),
    priceId: p.uuid(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    billingInterval: p.enum(['month', 'year'] as const),
    processorId: p.text().strictNullable(),
    status: p.enum(SUBSCRIPTION_STATUSES).default('incomplete'),
    /** With its first payment; null where that never came. */
    beganAt: p.datetime(3).strictNullable(),
    /** The last period that was paid for. */
    periodStart: p.datetime(3).strictNullable(),
    periodEnd: p.datetime(3).strictNullable(),
    pastDueAt: p.datetime(3).strictNullable(),
    graceEndsAt: p.datetime(3).strictNullable(),
    cancelAt: p.datetime(3).strictNullable(),
    endedAt: p.datetime(3).strictNullable(),
    /** What its person wants of it and the processor has yet to confirm; each wish has its number. */
    wish: p.enum(['cancel', 'resume'] as const).strictNullable(),
    wishNumber: p.integer().default(0),
    /** The last Updates of its workflow: one that comes again, after a reset, changes nothing. */
    seenUpdates: p.array().defaultRaw(`'{}'`),
    /** It has ended here; the processor has yet to confirm that nothing is charged any more. */
    isClosing: p.boolean().default(false),
    failureToldAt: p.datetime(3).strictNullable(),
    remindedOf: p.datetime(3).strictNullable(),
    /** The last ticket taken, and the newest one whose reading of the processor was applied. */
    ticket: p.bigint('number').default('0'),
    appliedTicket: p.bigint('number').default('0'),
    /** When reconciliation asks the processor by itself; null when there is nothing left to ask. */
    askAgainAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

export type SubscriptionRow = InferEntity<typeof Subscription>;
