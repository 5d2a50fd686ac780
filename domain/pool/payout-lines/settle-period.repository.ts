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
import { CLOCK, total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import { newestPoolSetting } from '../period/setting.repository.ts';
import { settleOwners } from './settle-owners.repository.ts';

export type SettledPeriod = { status: 'approved' | 'paying' | 'paid'; problem: string | null };

type Asked = {
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
export async function settlePeriod(em: EntityManager, asked: Asked): Promise<SettledPeriod> {
  const { periodId, isLive, stepMinor } = asked;
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
