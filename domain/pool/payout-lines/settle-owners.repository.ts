// What each owner of products gets of an approved period, and what waits for a later one.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { decideSettlement, type LineStatus } from '../payout/owner-settlement.ts';
import { hasOpenHold } from './line-conditions.repository.ts';
import { APPROVED } from './line-state.ts';
import {
  findRemainders,
  lockAccounts,
  type Account,
  type Settling,
} from './owner-money.repository.ts';

const OWNERS_AT_ONCE = 500;

/** Settles every owner with unpaid lines; returns the ids of the payouts made. */
export async function settleOwners(em: EntityManager, settling: Settling): Promise<string[]> {
  const payoutIds: string[] = [];
  let after: string | null = null;
  for (;;) {
    const ownerIds: string[] = await listOwners(em, settling, after);
    if (ownerIds.length === 0) return payoutIds;
    payoutIds.push(...(await settleBatch(em, settling, ownerIds)));
    after = ownerIds.at(-1)!;
  }
}

/** Selects the unpaid lines of this period and earlier ones. */
const selectUnpaid = (em: EntityManager, { period }: Settling) =>
  kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('poolPeriod as period', 'period.id', 'line.periodId')
    .where('line.currency', '=', period.currency)
    .where('line.payoutId', 'is', null)
    .where('period.status', 'in', APPROVED)
    .where('period.month', '<=', period.month);

async function listOwners(em: EntityManager, settling: Settling, after: string | null) {
  const owners = await selectUnpaid(em, settling)
    .select(({ fn }) => fn.coalesce('line.teamId', 'line.personId').$castTo<string>().as('id'))
    .distinct()
    .$if(after !== null, (unpaid) =>
      unpaid.where(({ eb, fn }) => eb(fn.coalesce('line.teamId', 'line.personId'), '>', after!)),
    )
    .orderBy('id')
    .limit(OWNERS_AT_ONCE)
    .execute();
  return owners.map(({ id }) => id);
}

type UnpaidLine = Awaited<ReturnType<typeof lockLines>>[number];

/**
 * Locks the lines: the second of two settlements at once waits here, and finds the lines of the
 * first one taken.
 */
const lockLines = (em: EntityManager, settling: Settling, ownerIds: readonly string[]) =>
  selectUnpaid(em, settling)
    .select(({ cast }) => cast<string>('line.id', 'text').as('id'))
    .select(['line.teamId', 'line.personId', 'line.amountMinor'])
    .select(hasOpenHold('line.productId').$castTo<boolean>().as('isHeld'))
    .where(({ eb, fn }) => eb(fn.coalesce('line.teamId', 'line.personId'), '=', anyOf(ownerIds)))
    .orderBy('line.id')
    .forNoKeyUpdate('line')
    .execute();

type Owner = { ownerId: string; teamId: string | null; personId: string | null };
type OwnerLines = Owner & { lines: UnpaidLine[] };

async function settleBatch(
  em: EntityManager,
  settling: Settling,
  ownerIds: readonly string[],
): Promise<string[]> {
  const owners = groupByOwner(await lockLines(em, settling, ownerIds));
  const accounts = await lockAccounts(em, ownerIds);
  const remainders = await findRemainders(em, settling, ownerIds);
  const waiting = new Map<LineStatus, string[]>();
  const payoutIds: string[] = [];
  for (const owner of owners) {
    const account = accounts.get(owner.ownerId) ?? null;
    const settled = settleOwner(owner, {
      settling,
      account,
      carriedMinor: remainders.get(owner.ownerId) ?? 0n,
    });
    const idsOf = (status: LineStatus) =>
      owner.lines.filter((_, index) => settled.statuses[index] === status).map(({ id }) => id);
    for (const status of ['held', 'below_minimum', 'no_account'] as const) {
      waiting.set(status, [...(waiting.get(status) ?? []), ...idsOf(status)]);
    }
    if (settled.payoutMinor === 0n || account === null) continue;
    payoutIds.push(
      await insertPayout(em, {
        ...owner,
        period: settling.period,
        account: account.account,
        amountMinor: Number(settled.payoutMinor),
        lineIds: idsOf('payable'),
      }),
    );
  }
  for (const [status, ids] of waiting) await markLines(em, ids, status);
  return payoutIds;
}

function groupByOwner(lines: readonly UnpaidLine[]): OwnerLines[] {
  const byOwner = new Map<string, OwnerLines>();
  for (const line of lines) {
    const { teamId, personId } = line;
    const ownerId = (teamId ?? personId)!;
    const owner = byOwner.get(ownerId) ?? { ownerId, teamId, personId, lines: [] };
    owner.lines.push(line);
    byOwner.set(ownerId, owner);
  }
  return [...byOwner.values()];
}

type Facts = { settling: Settling; account: Account | null; carriedMinor: bigint };

/** A payout is a whole number of the processor's steps; the rest of it is carried over. */
function settleOwner({ lines }: OwnerLines, { settling, account, carriedMinor }: Facts) {
  const { stepMinor, minimumMinor } = settling;
  const settled = decideSettlement({
    carriedMinor,
    lines: lines.map(({ amountMinor, isHeld }) => ({ amountMinor: BigInt(amountMinor), isHeld })),
    minimumMinor: minimumMinor > stepMinor ? minimumMinor : stepMinor,
    canReceive: account?.canCharge ?? false,
    isConfirmed: account !== null && account.poolConfirmedAt !== null,
  });
  return { ...settled, payoutMinor: settled.payoutMinor - (settled.payoutMinor % stepMinor) };
}

type NewPayout = Owner & {
  period: Settling['period'];
  account: string;
  amountMinor: number;
  lineIds: readonly string[];
};

async function insertPayout(em: EntityManager, made: NewPayout): Promise<string> {
  const { ownerId, teamId, personId, period, account, amountMinor, lineIds } = made;
  const { id: periodId, currency } = period;
  const id = `pool-${readPeriodId(periodId).month}-${ownerId}-${currency}`;
  const payout = { id, periodId, teamId, personId, currency, amountMinor, account, dueAt: NOW };
  await kysely(em).insertInto('poolPayout').values(payout).execute();
  await kysely(em)
    .updateTable('poolLine')
    .set({ status: 'paying', payoutId: id })
    .where('id', '=', anyOf(lineIds))
    .execute();
  return id;
}

async function markLines(em: EntityManager, ids: readonly string[], status: LineStatus) {
  if (ids.length === 0) return;
  await kysely(em).updateTable('poolLine').set({ status }).where('id', '=', anyOf(ids)).execute();
}
