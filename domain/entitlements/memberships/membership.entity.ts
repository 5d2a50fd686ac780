import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

const MEMBERSHIP_STATUSES = ['incomplete', 'active', 'past_due', 'canceling', 'ended'] as const;

/** A person's Member subscription: access to every Included product. */
export const Membership = defineEntity({
  name: 'Membership',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    status: p.enum(MEMBERSHIP_STATUSES).default('incomplete'),
    /**
     * Null while it renews; the period's end once cancelled or ended by returned money; the end of
     * grace while past due.
     */
    endsAt: p.datetime(3).strictNullable(),
    /** Set while the period's money is back: no access, however far the end is. */
    withdrawnAt: p.datetime(3).strictNullable(),
    /** The terms that the person was shown; null for a membership that was given. */
    priceId: p.uuid().strictNullable(),
    amountMinor: p.bigint('number').strictNullable(),
    currency: p.character().length(3).strictNullable(),
    billingInterval: p.enum(['month', 'year'] as const).strictNullable(),
    /** The processor's checkout. */
    sessionId: p.text().strictNullable(),
    sessionUrl: p.text().strictNullable(),
    sessionExpiresAt: p.datetime(3).defaultRaw(`gatehouse_now() + interval '24 hours'`),
    processorId: p.text().strictNullable(),
    /** The last paid period. */
    periodStart: p.datetime(3).strictNullable(),
    periodEnd: p.datetime(3).strictNullable(),
    pastDueAt: p.datetime(3).strictNullable(),
    graceEndsAt: p.datetime(3).strictNullable(),
    cancelAt: p.datetime(3).strictNullable(),
    endedAt: p.datetime(3).strictNullable(),
    /** As of a subscription. */
    requestedChange: p.enum(['cancel', 'resume'] as const).strictNullable(),
    changeNumber: p.integer().default(0),
    /** The last Updates of its workflow: one that comes again, after a reset, changes nothing. */
    seenUpdates: p.array().defaultRaw(`'{}'`),
    isClosing: p.boolean().default(false),
    failureNotifiedAt: p.datetime(3).strictNullable(),
    remindedOf: p.datetime(3).strictNullable(),
    sequence: p.bigint('number').default('0'),
    appliedSequence: p.bigint('number').default('0'),
    askAgainAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

export type MembershipRow = InferEntity<typeof Membership>;

/** A product that a membership was used for: it hears of the membership from then on. */
export const MembershipActivation = defineEntity({
  name: 'MembershipActivation',
  properties: {
    membershipId: p.uuid().primary(),
    productId: p.uuid().primary(),
    openedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    closedAt: p.datetime(3).strictNullable(),
  },
});

/** A change of a membership for the activated products. */
export const MembershipChange = defineEntity({
  name: 'MembershipChange',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    membershipId: p.uuid(),
    reason: p.enum([
      'granted',
      'cancelled',
      'resumed',
      'renewed',
      'elapsed',
      'withdrawn',
      'refunded',
    ] as const),
    /** Products in the order of their ids: how far it has been told. */
    notifiedThrough: p.uuid().strictNullable(),
    notifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
