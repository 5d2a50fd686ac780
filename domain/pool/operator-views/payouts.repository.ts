// Payouts as operators see them.
import type { EntityManager } from '../../../platform/database/database.ts';
import { total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { accountOfLine, hasOpenHold } from '../payout-lines/line-conditions.repository.ts';

const MOST_SHOWN = 50;

/** `owner` is the team's name or the lone builder's handle. */
const selectPayouts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('poolPayout as payout')
    .leftJoin('team', 'team.id', 'payout.teamId')
    .leftJoin('person', 'person.id', 'payout.personId')
    .select(['payout.teamId', 'payout.personId', 'payout.currency'])
    .select(({ fn }) => [
      fn.coalesce('payout.teamId', 'payout.personId').$castTo<string>().as('ownerId'),
      fn.coalesce('team.name', 'person.handle').$castTo<string>().as('owner'),
    ]);

const selectProgress = (em: EntityManager) =>
  selectPayouts(em)
    .select(['payout.id', 'payout.periodId', 'payout.amountMinor', 'payout.status'])
    .select(['payout.attempts', 'payout.dueAt', 'payout.lastError', 'payout.isOutcomeUnknown']);

/** The payouts of a period by their status: those that are not paid come first. */
export async function listPayouts(em: EntityManager, periodId: string) {
  const found = await selectProgress(em)
    .select(({ fn }) => fn.countAll<number>().over().as('all'))
    .where('payout.periodId', '=', periodId)
    .orderBy('payout.transferId', (place) => place.nullsFirst())
    .orderBy('payout.id')
    .limit(MOST_SHOWN)
    .execute();
  return { lines: found, all: found[0]?.all ?? 0 };
}

export type PayoutLine = Awaited<ReturnType<typeof listPayouts>>['lines'][number];

/**
 * Selects the payouts that are tried again or whose outcome is unknown, and failed ones until their
 * lines are settled anew.
 */
const troubled = (em: EntityManager) =>
  kysely(em)
    .selectFrom('poolPayout as payout')
    .where(({ and, eb, exists, or, selectFrom }) =>
      or([
        and([
          eb('payout.status', '=', 'paying'),
          or([eb('payout.attempts', '>', 1), eb('payout.isOutcomeUnknown', '=', true)]),
        ]),
        and([
          eb('payout.status', '=', 'failed'),
          exists(
            selectFrom('poolLine as line')
              .select('line.id')
              .where('line.status', '=', 'failed')
              .where('line.payoutId', 'is', null)
              .whereRef('line.currency', '=', 'payout.currency')
              .where((of) =>
                of.or([
                  of('line.teamId', '=', of.ref('payout.teamId')),
                  of('line.personId', '=', of.ref('payout.personId')),
                ]),
              ),
          ),
        ]),
      ]),
    );

export async function countPayoutsInTrouble(em: EntityManager): Promise<number> {
  const { payouts } = await troubled(em)
    .select(({ fn }) => fn.countAll<number>().as('payouts'))
    .executeTakeFirstOrThrow();
  return payouts;
}

const MOST_IN_TROUBLE = 200;

/** Lists first the payouts that an operator can end, then the other open ones, then the newest. */
export async function listPayoutsInTrouble(em: EntityManager) {
  return selectProgress(em)
    .where('payout.id', 'in', troubled(em).select('payout.id'))
    .orderBy('payout.isOutcomeUnknown', 'desc')
    .orderBy('payout.endedAt', (end) => end.desc().nullsFirst())
    .orderBy('payout.id')
    .limit(MOST_IN_TROUBLE)
    .execute();
}

export type PayoutInTrouble = Awaited<ReturnType<typeof listPayoutsInTrouble>>[number];

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

export type YearlyTotal = Awaited<ReturnType<typeof yearlyTotals>>[number];

/** Lines that no payout has: why they wait, for which sums. Before the approval all are payable. */
export async function sumWaitingLines(em: EntityManager, periodId: string) {
  return kysely(em)
    .selectFrom('poolLine')
    .select('status')
    .select(({ fn }) => [
      fn.countAll<number>().as('lines'),
      total(fn.sum('amountMinor')).as('amountMinor'),
    ])
    .where('periodId', '=', periodId)
    .where('payoutId', 'is', null)
    .groupBy('status')
    .orderBy('status')
    .execute();
}

export type WaitingLines = Awaited<ReturnType<typeof sumWaitingLines>>[number];

/** Owners whose lines wait for an operator's yes to the first payout, not for a review. */
export async function listUnconfirmedOwners(em: EntityManager) {
  return kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('payoutAccount', (join) => join.on(accountOfLine('line')))
    .leftJoin('person', 'person.id', 'line.personId')
    .leftJoin('team', 'team.id', 'line.teamId')
    .select(['line.personId', 'line.teamId', 'line.currency'])
    .select(({ fn }) => [
      fn.coalesce('line.teamId', 'line.personId').$castTo<string>().as('ownerId'),
      fn.coalesce('team.name', 'person.handle').$castTo<string>().as('owner'),
      total(fn.sum('line.amountMinor')).as('amountMinor'),
      fn.min<string>('line.periodId').as('since'),
    ])
    .where('line.status', '=', 'held')
    .where('line.payoutId', 'is', null)
    .where(({ not }) => not(hasOpenHold('line.productId')))
    .where('payoutAccount.poolConfirmedAt', 'is', null)
    .groupBy(['line.personId', 'line.teamId', 'line.currency', 'team.name', 'person.handle'])
    .orderBy('since')
    .orderBy('owner')
    .limit(MOST_SHOWN)
    .execute();
}

export type UnconfirmedOwner = Awaited<ReturnType<typeof listUnconfirmedOwners>>[number];
