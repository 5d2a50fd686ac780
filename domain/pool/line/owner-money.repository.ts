// What a settlement has to know of owners beside their lines.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

export type Settling = {
  period: { id: string; currency: string; month: string };
  minimumMinor: bigint;
  /** The smallest step of a transfer. */
  stepMinor: bigint;
};

export type Account = { account: string; canCharge: boolean; poolConfirmedAt: Date | null };

export async function findAccounts(
  em: EntityManager,
  ownerIds: readonly string[],
): Promise<Map<string, Account>> {
  const found = await kysely(em)
    .selectFrom('payoutAccount')
    .select(({ fn }) => fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'))
    .select(['processorAccount as account', 'canCharge', 'poolConfirmedAt'])
    .where(({ eb, or }) =>
      or([eb('teamId', '=', anyOf(ownerIds)), eb('personId', '=', anyOf(ownerIds))]),
    )
    .execute();
  return new Map(found.map(({ ownerId, ...account }) => [ownerId, account]));
}

/**
 * What earlier payouts left of their lines, because the processor has no step so small. In most
 * currencies nothing is ever left.
 */
export async function findRemainders(
  em: EntityManager,
  { period, stepMinor }: Settling,
  ownerIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (stepMinor === 1n) return new Map();
  const paid = kysely(em)
    .selectFrom('poolPayout as payout')
    .innerJoin('poolLine as line', 'line.payoutId', 'payout.id')
    .select(({ fn, ref }) => [
      'payout.id',
      fn.coalesce('payout.teamId', 'payout.personId').as('ownerId'),
      total(fn.sum('line.amountMinor')).as('linesMinor'),
      ref('payout.amountMinor').as('payoutMinor'),
    ])
    .where('payout.currency', '=', period.currency)
    .where(({ eb, or }) =>
      or([eb('payout.teamId', '=', anyOf(ownerIds)), eb('payout.personId', '=', anyOf(ownerIds))]),
    )
    .groupBy('payout.id');
  const found = await kysely(em)
    .selectFrom(paid.as('paid'))
    .select('ownerId')
    .select(({ eb, fn }) =>
      total(fn.sum(eb('linesMinor', '-', eb.ref('payoutMinor')))).as('leftMinor'),
    )
    .groupBy('ownerId')
    .execute();
  return new Map(found.map(({ ownerId, leftMinor }) => [ownerId!, BigInt(leftMinor)]));
}
