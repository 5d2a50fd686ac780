// The accounts of owners, and what a settlement has to know of owners beside their lines.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, total, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { accountOfLine, accountOfOwner, hasOpenHold } from './line-conditions.repository.ts';
import { recordAudit } from '../../audit/audit.repository.ts';

export type Settling = {
  period: { id: string; currency: string; month: string };
  minimumMinor: bigint;
  /** The smallest step of a transfer. */
  stepMinor: bigint;
};

export type Account = { account: string; canCharge: boolean; poolConfirmedAt: Date | null };

/**
 * Locks the accounts until the transaction ends: a payout is made before an account is replaced, or
 * after it.
 */
export async function lockAccounts(
  em: EntityManager,
  ownerIds: readonly string[],
): Promise<Map<string, Account>> {
  const found = await kysely(em)
    .selectFrom('payoutAccount')
    .select(({ fn }) => fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'))
    .select(['processorAccount as account', 'canCharge', 'poolConfirmedAt'])
    .where(accountOfOwner(anyOf(ownerIds)))
    .orderBy('id')
    .forShare()
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

/**
 * Whether a settlement would pay what an earlier one left: a hold was released, an owner confirmed,
 * an account connected, or a transfer failed. What is below the minimum waits for more.
 */
export async function hasPayableLines(em: EntityManager, currency: string): Promise<boolean> {
  const [line] = await kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('payoutAccount', (join) => join.on(accountOfLine('line')))
    .select('line.id')
    .where('line.currency', '=', currency)
    .where('line.payoutId', 'is', null)
    .where('line.status', 'in', ['held', 'no_account', 'failed'])
    .where('line.amountMinor', '>', 0)
    .where('payoutAccount.canCharge', '=', true)
    .where('payoutAccount.poolConfirmedAt', 'is not', null)
    .where(({ not }) => not(hasOpenHold('line.productId')))
    .limit(1)
    .execute();
  return line !== undefined;
}

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
    .where(accountOfOwner(ownerId))
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
