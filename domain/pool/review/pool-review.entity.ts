import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import type { ReviewFigure } from './review-rules.ts';

/**
 * The figures of a product in the review of a period.
 * Grows with products that Members used in a month; kept for good.
 */
export const PoolReview = defineEntity({
  name: 'PoolReview',
  properties: {
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id').primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    figures: p.json<ReviewFigure[]>(),
    /** A rule put the product on the operators' list. */
    isListed: p.boolean(),
  },
  indexes: [{ name: 'pool_review_listed', properties: ['periodId'], where: `is_listed` }],
});

/**
 * An operator holds the lines of a product until the hold is released.
 * Grows with holds; kept for good.
 */
export const PoolHold = defineEntity({
  name: 'PoolHold',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    reason: p.text(),
    heldAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    heldBy: () => p.manyToOne(Person).mapToPk().joinColumn('held_by'),
    releasedAt: p.datetime(3).strictNullable(),
    releasedBy: () => p.manyToOne(Person).mapToPk().joinColumn('released_by').strictNullable(),
  },
  uniques: [{ name: 'pool_hold_open', properties: ['productId'], where: `released_at is null` }],
  checks: [
    {
      name: 'pool_hold_released',
      expression: `num_nonnulls(released_at, released_by) in (0, 2)`,
    },
  ],
});

/**
 * Days of a person on a product in a month that do not count in the pool.
 * Grows with exclusions by operators; kept for good.
 */
export const PoolExclusion = defineEntity({
  name: 'PoolExclusion',
  properties: {
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    /** The month's first day. */
    month: p.date().primary(),
    reason: p.text(),
    excludedBy: () => p.manyToOne(Person).mapToPk().joinColumn('excluded_by'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [{ name: 'pool_exclusion_month', properties: ['month'] }],
});
