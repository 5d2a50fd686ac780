import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';

/**
 * The platform's cut: the newest row counts, earlier rows are its history.
 * Grows with changes of the fee; kept for good.
 */
export const PlatformFee = defineEntity({
  name: 'PlatformFee',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    basisPoints: p.integer(),
    since: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Is null for the initial cut. */
    setBy: () => p.manyToOne(Person).mapToPk().joinColumn('set_by').strictNullable(),
  },
  checks: [
    {
      name: 'platform_fee_basis_points_check',
      expression: `basis_points >= 0 and basis_points <= 10000`,
    },
  ],
});
