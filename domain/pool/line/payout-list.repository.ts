// What operators see and decide of payouts.
import { recordAudit } from '../../audit/audit.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW, total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

const MOST_LISTED = 200;

export type PayoutInTrouble = Awaited<ReturnType<typeof listPayoutsInTrouble>>[number];

/** Payouts whose first transfer did not succeed, and failed ones: the open ones first, then the newest. */
export async function listPayoutsInTrouble(em: EntityManager) {
  return selectPayouts(em)
    .select([
      'payout.id',
      'payout.periodId',
      'payout.account',
      'payout.status',
      'payout.amountMinor',
    ])
    .select(['payout.attempts', 'payout.dueAt', 'payout.lastError'])
    .select(['payout.createdAt', 'payout.endedAt'])
    .where(({ and, eb, or }) =>
      or([
        eb('payout.status', '=', 'failed'),
        and([eb('payout.status', '=', 'paying'), eb('payout.attempts', '>', 1)]),
      ]),
    )
    .orderBy('payout.endedAt', (end) => end.desc().nullsFirst())
    .orderBy('payout.id')
    .limit(MOST_LISTED)
    .execute();
}

export type YearlyTotal = Awaited<ReturnType<typeof yearlyTotals>>[number];

/** What was paid in a calendar year (UTC), for each owner and currency. */
export async function yearlyTotals(em: EntityManager, year: number) {
  return selectPayouts(em)
    .select(({ fn }) => [
      fn.countAll<number>().as('payouts'),
      total(fn.sum('payout.amountMinor')).as('amountMinor'),
    ])
    .where('payout.status', '=', 'paid')
    .where('payout.endedAt', '>=', new Date(Date.UTC(year, 0)))
    .where('payout.endedAt', '<', new Date(Date.UTC(year + 1, 0)))
    .groupBy(['payout.teamId', 'payout.personId', 'team.name', 'person.handle', 'payout.currency'])
    .orderBy('owner')
    .orderBy('payout.currency')
    .execute();
}

/** `owner` is the team's name or the lone builder's handle. */
export const selectPayouts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('poolPayout as payout')
    .leftJoin('team', 'team.id', 'payout.teamId')
    .leftJoin('person', 'person.id', 'payout.personId')
    .select(['payout.teamId', 'payout.personId', 'payout.currency'])
    .select(({ fn }) => [
      fn.coalesce('payout.teamId', 'payout.personId').$castTo<string>().as('ownerId'),
      fn.coalesce('team.name', 'person.handle').$castTo<string>().as('owner'),
    ]);

type Confirmed = {
  ownerId: string;
  byId: string;
  ip?: string | null;
  reason?: string | null;
};

/**
 * An operator says yes to the owner's first payout: the next settlement pays what was held. False
 * without a payout account, or where somebody has confirmed it before.
 */
export async function confirmFirstPayout(
  em: EntityManager,
  confirmed: Confirmed,
): Promise<boolean> {
  const { ownerId, byId, ip = null, reason = null } = confirmed;
  const account = await kysely(em)
    .updateTable('payoutAccount')
    .set({ poolConfirmedAt: NOW, poolConfirmedBy: byId })
    .where(({ eb, or }) => or([eb('teamId', '=', ownerId), eb('personId', '=', ownerId)]))
    .where('poolConfirmedAt', 'is', null)
    .returning('processorAccount')
    .executeTakeFirst();
  if (!account) return false;
  // Not in the trail of the team: the reason and the address are the operator's.
  await recordAudit(em, {
    by: { personId: byId, ip },
    action: 'payouts.confirmed',
    subject: ownerId,
    detail: { account: account.processorAccount, ...(reason === null ? {} : { reason }) },
  });
  return true;
}
