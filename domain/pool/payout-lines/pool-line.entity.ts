import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { Team } from '../../teams/team.entity.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import type { Band } from '../statement/bands.ts';
import { PoolPayout } from './pool-payout.entity.ts';

const LINE_STATUSES = [
  'payable',
  'held',
  'below_minimum',
  'no_account',
  'paying',
  'paid',
  'failed',
] as const;

/** `Band` of the statement, with its amounts as texts. */
export type BandRow = Omit<Band, 'potsMinor' | 'amountMinor'> &
  Record<'potsMinor' | 'amountMinor', string>;

/**
 * What a period gives to a product, for its month or as a correction of an earlier one.
 * Grows with products that Members used in a month; kept for good.
 */
export const PoolLine = defineEntity({
  name: 'PoolLine',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id'),
    currency: p.character().length(3),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    /** The first day of the month of use: an earlier one is a correction. */
    month: p.date(),
    /** The product's owner when the month was computed; of a correction that of the month of use. */
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').strictNullable(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').strictNullable(),
    amountMinor: p.bigint('number'),
    members: p.integer(),
    qualifiedDays: p.integer(),
    bands: p.json<BandRow[]>(),
    /** Decided by the settlement after the approval; until then a line is payable. */
    status: p.enum(LINE_STATUSES).default('payable'),
    payoutId: () => p.manyToOne(PoolPayout).mapToPk().joinColumn('payout_id').strictNullable(),
  },
  indexes: [
    { name: 'pool_line_product', properties: ['productId', 'periodId'] },
    { name: 'pool_line_payout', properties: ['payoutId'], where: `payout_id is not null` },
    {
      name: 'pool_line_unpaid_team',
      properties: ['teamId', 'currency'],
      where: `payout_id is null and team_id is not null`,
    },
    {
      name: 'pool_line_unpaid_person',
      properties: ['personId', 'currency'],
      where: `payout_id is null and person_id is not null`,
    },
  ],
  uniques: [{ name: 'pool_line_once', properties: ['periodId', 'productId', 'month'] }],
  checks: [
    { name: 'pool_line_one_owner', expression: `num_nonnulls(person_id, team_id) = 1` },
    {
      name: 'pool_line_in_payout',
      expression: `(status in ('paying', 'paid')) = (payout_id is not null)`,
    },
  ],
});
