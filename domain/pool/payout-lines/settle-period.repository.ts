// An approved period is settled once: its payouts, the state of its lines and its bookings.
import type { InferEntity } from '@mikro-orm/core';
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  recordPoolShares,
  recordUnattributed,
} from '../../billing/ledger/pool-bookings.repository.ts';
import { poolPayoutWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { CLOCK, total, anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import { newestPoolSetting } from '../period/setting.repository.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { decideSettlement, type LineStatus } from './owner-settlement.ts';
import { hasOpenHold } from './line-conditions.repository.ts';
import { APPROVED } from './line-state.ts';
import {
  findRemainders,
  lockAccounts,
  type Account,
  type Settling,
} from './owner-money.repository.ts';

export type SettledPeriod = { status: 'approved' | 'paying' | 'paid'; problem: string | null };

type SettlementInput = {
  periodId: string;
  /** True with a processor that moves real money: transfers are not proven there. */
  isLive: boolean;
  /** The smallest step of a transfer in a currency, in minor units. */
  stepMinor(currency: string): number;
};

const NO_LIVE_TRANSFERS =
  'Payouts of the pool are not enabled for the live payment processor. Nothing was transferred.';

/**
 * Turns an approved period into payouts, in the caller's transaction. A second call finds the
 * period settled and changes nothing.
 */
export async function settlePeriod(
  em: EntityManager,
  input: SettlementInput,
): Promise<SettledPeriod> {
  const { periodId, isLive, stepMinor } = input;
  const period = await em.findOneOrFail(PoolPeriod, { id: periodId }, LOCK);
  const { status, currency } = period;
  if (status === 'paying' || status === 'paid') return { status, problem: null };
  if (status !== 'approved') throw new Error(`the period ${periodId} is ${status}`);
  const shares = await sumShares(em, period);
  const problem = isLive ? NO_LIVE_TRANSFERS : findDifference(period, shares);
  if (problem !== null) return stop(em, period, problem);
  await recordPoolShares(em, { periodId, currency }, shares);
  const amountMinor = period.unattributedMinor ?? 0;
  await recordUnattributed(em, { periodId, currency, amountMinor });
  const minimumMinor = BigInt(await readMinimum(em, period.approvedAt));
  const payoutIds = await settleOwners(em, {
    period: { id: periodId, currency, month: period.month },
    minimumMinor,
    stepMinor: BigInt(stepMinor(currency)),
  });
  await sendToWorkflows(em, payoutIds.map(poolPayoutWorkflow), { kind: 'started' });
  return finish(em, period, payoutIds.length > 0 ? 'paying' : 'paid');
}

type Period = InferEntity<typeof PoolPeriod>;

/** What the period gives to each owner, corrections of earlier months included. */
const sumShares = (em: EntityManager, { id }: Period) =>
  kysely(em)
    .selectFrom('poolLine')
    .select(({ fn }) => [
      fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'),
      total(fn.sum('amountMinor')).as('amountMinor'),
    ])
    .where('periodId', '=', id)
    .groupBy(({ fn }) => fn.coalesce('teamId', 'personId'))
    .orderBy('ownerId')
    .execute();

/** The lines are the statement to the unit, corrections with the month, or nothing is paid. */
function findDifference(
  { productsMinor, currency }: Period,
  shares: readonly { amountMinor: number }[],
): string | null {
  const linesMinor = shares.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  if (linesMinor === productsMinor) return null;
  return `The lines add up to ${linesMinor}, the statement to ${productsMinor} (minor units of ${currency}).`;
}

/** The smallest payout, as of the approval. */
async function readMinimum(em: EntityManager, approvedAt: Date | null): Promise<number> {
  const { minimumMinor } = await newestPoolSetting(em)
    .$if(approvedAt !== null, (settings) => settings.where('since', '<=', approvedAt!))
    .executeTakeFirstOrThrow();
  return minimumMinor;
}

async function stop(em: EntityManager, period: Period, problem: string): Promise<SettledPeriod> {
  period.problem = problem;
  await raiseAlert(em, { kind: 'pool_stopped', subject: period.id, detail: { problem } });
  return { status: 'approved', problem };
}

async function finish(
  em: EntityManager,
  period: Period,
  status: 'paying' | 'paid',
): Promise<SettledPeriod> {
  Object.assign(period, { status, problem: null });
  if (status === 'paid') period.paidAt = CLOCK;
  await withdrawAlerts(em, { kinds: ['pool_stopped'], subject: period.id });
  return { status, problem: null };
}

const OWNERS_AT_ONCE = 500;

/** Settles every owner with unpaid lines; returns the ids of the payouts made. */
async function settleOwners(em: EntityManager, settling: Settling): Promise<string[]> {
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
