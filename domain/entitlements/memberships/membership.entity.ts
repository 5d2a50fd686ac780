import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';
import { MemberPrice } from './member-price.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { renewalColumns } from './renewal-columns.entity.ts';

const MEMBERSHIP_STATUSES = ['incomplete', 'active', 'past_due', 'canceling', 'ended'] as const;

/**
 * A person's Member subscription: access to every Included product.
 * Grows with memberships; kept for good.
 */
export const Membership = defineEntity({
  name: 'Membership',
  properties: {
    id: p.uuid().primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    status: p.enum(MEMBERSHIP_STATUSES).default('incomplete'),
    /**
     * Is null while the membership renews; the period's end once cancelled or ended by returned
     * money; the end of grace while past due.
     */
    endsAt: p.datetime(3).strictNullable(),
    /** Set while the period's money is back: no access, however far the end is. */
    withdrawnAt: p.datetime(3).strictNullable(),
    /** The terms that the person was shown; null for a complimentary membership. */
    priceId: () => p.manyToOne(MemberPrice).mapToPk().joinColumn('price_id').strictNullable(),
    amountMinor: p.bigint('number').strictNullable(),
    currency: p.character().length(3).strictNullable(),
    billingInterval: p.enum(['month', 'year'] as const).strictNullable(),
    /** The processor's checkout. */
    sessionId: p.text().strictNullable(),
    sessionUrl: p.text().strictNullable(),
    sessionExpiresAt: p.datetime(3).defaultRaw(`(gatehouse_now() + '24:00:00'::interval)`),
    ...renewalColumns(),
  },
  indexes: [
    {
      name: 'membership_ask_again',
      properties: ['askAgainAt', 'id'],
      where: `ask_again_at is not null`,
    },
    { name: 'membership_person', properties: ['personId'] },
  ],
  uniques: [
    // A person has one membership that runs, and beside it at most one checkout.
    {
      name: 'membership_live',
      properties: ['personId'],
      where: `status in ('active', 'past_due', 'canceling')`,
    },
    { name: 'membership_open', properties: ['personId'], where: `status = 'incomplete'` },
  ],
  checks: [
    { name: 'membership_amount_minor_check', expression: `amount_minor > 0` },
    // An operator gave a membership without terms; nothing is charged for it.
    {
      name: 'membership_terms',
      expression: `num_nonnulls(price_id, amount_minor, currency, billing_interval) in (0, 4) and (processor_id is null or price_id is not null)`,
    },
  ],
});

export type MembershipRow = InferEntity<typeof Membership>;

/**
 * A product that a membership was used for: it is notified of the membership from then on.
 * Grows with Members who opened an Included product; kept for good.
 */
export const MembershipActivation = defineEntity({
  name: 'MembershipActivation',
  properties: {
    membershipId: () => p.manyToOne(Membership).mapToPk().joinColumn('membership_id').primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    openedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    closedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'membership_activation_product',
      properties: ['productId'],
      where: `closed_at is null`,
    },
  ],
});

/**
 * A change of a membership for the activated products. The activated products are notified of the
 * changes in this order; a row says how far that has come.
 * Grows with changes of memberships; kept for good.
 */
export const MembershipChange = defineEntity({
  name: 'MembershipChange',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    membershipId: () => p.manyToOne(Membership).mapToPk().joinColumn('membership_id'),
    reason: p.enum([
      'granted',
      'cancelled',
      'resumed',
      'renewed',
      'elapsed',
      'withdrawn',
      'refunded',
    ] as const),
    /** The last product, in the order of ids, that was notified. */
    notifiedThrough: p.uuid().strictNullable(),
    notifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    {
      name: 'membership_change_unnotified',
      properties: ['membershipId', 'id'],
      where: `notified_at is null`,
    },
  ],
});
