import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

export type OwnerPayout = Awaited<ReturnType<typeof listOwnerPayouts>>[number];

/** A person, unless only teams are asked for, and teams. */
type Owners = { personId: string | null; teamIds: readonly string[] };

/** The last payouts of the creator pool to these owners, the newest first. Each arm walks its index. */
export async function listOwnerPayouts(
  em: EntityManager,
  { personId, teamIds, limit }: Owners & { limit: number },
) {
  const payouts = kysely(em)
    .selectFrom('poolPayout as payout')
    .innerJoin('poolPeriod as period', 'period.id', 'payout.periodId')
    .select(['payout.id', 'payout.teamId', 'payout.personId', 'period.month'])
    .select(['payout.amountMinor', 'payout.currency', 'payout.status', 'payout.createdAt'])
    .select(['payout.endedAt', 'payout.dueAt', 'payout.transferId'])
    .orderBy('payout.createdAt', 'desc')
    .limit(limit);
  return kysely(em)
    .selectFrom(payouts.where('payout.personId', '=', personId).as('own'))
    .selectAll()
    .unionAll(
      kysely(em)
        .selectFrom(payouts.where('payout.teamId', '=', anyOf(teamIds)).as('ofTeams'))
        .selectAll(),
    )
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
}
