import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';
import { Team } from '../../teams/team.entity.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';

const PAYOUT_STATUSES = ['paying', 'paid', 'failed'] as const;

/**
 * One transfer to a team or a lone builder, for one period and currency.
 * Grows with teams that a period pays; kept for good.
 */
export const PoolPayout = defineEntity({
  name: 'PoolPayout',
  properties: {
    /** `pool-<month>-<team or person>-<currency>`: the processor makes one transfer of this name. */
    id: p.text().primary(),
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id'),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').strictNullable(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').strictNullable(),
    currency: p.character().length(3),
    amountMinor: p.bigint('number'),
    /** The account at the processor, as of the settlement. */
    account: p.text(),
    status: p.enum(PAYOUT_STATUSES).default('paying'),
    attempts: p.integer().default(0),
    /** The instant at which the next attempt is due; null once the payout is over. */
    dueAt: p.datetime(3).strictNullable(),
    lastError: p.text().strictNullable(),
    /** Nobody knows whether the last attempt made a transfer, and none is under way: an operator may say. */
    isOutcomeUnknown: p.boolean().default(false),
    /**
     * The id that the processor or an operator gave. Not unique: a mistyped one must not keep
     * another payout open.
     */
    transferId: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    endedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: 'pool_payout_open', properties: ['dueAt'], where: `status = 'paying'` },
    { name: 'pool_payout_period', properties: ['periodId'] },
    {
      name: 'pool_payout_transfer',
      properties: ['transferId'],
      where: `transfer_id is not null`,
    },
    { name: 'pool_payout_team', properties: ['teamId', 'createdAt'], where: `team_id is not null` },
    {
      name: 'pool_payout_person',
      properties: ['personId', 'createdAt'],
      where: `person_id is not null`,
    },
  ],
  checks: [
    { name: 'pool_payout_one_owner', expression: `num_nonnulls(person_id, team_id) = 1` },
    { name: 'pool_payout_amount_minor_check', expression: `amount_minor > 0` },
    {
      name: 'pool_payout_open_until',
      expression: `(status = 'paying') = (ended_at is null) and (status = 'paid') = (transfer_id is not null)`,
    },
    {
      name: 'pool_payout_known_at_the_end',
      expression: `status = 'paying' or not is_outcome_unknown`,
    },
  ],
});
