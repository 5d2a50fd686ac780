// A payout's way to the processor: the row says what is due, and each outcome is recorded once.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { recordPoolPayout } from '../../billing/ledger/pool-bookings.repository.ts';
import { poolPayoutActor, poolPeriodActor } from '../../outbox/actors.ts';
import { mailPoolPayout } from './payout-notices.repository.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { formatMoney } from '../../shared/money.ts';
import {
  decidePayoutStep,
  MOST_ATTEMPTS,
  type TransferOutcome,
} from '../payout/transfer-schedule.ts';

export type PayoutProgress = {
  status: 'paying' | 'paid' | 'failed';
  /** Null for a team. */
  personId: string | null;
  /** `12.50 EUR`. */
  amount: string;
  attempts: number;
  dueAt: string | null;
  remainingMs: number;
  lastError: string | null;
};

/** Null for a payout that does not exist. */
export async function findPayout(em: EntityManager, id: string): Promise<PayoutProgress | null> {
  const found = await kysely(em)
    .selectFrom('poolPayout')
    .select(['status', 'personId', 'amountMinor', 'currency', 'attempts', 'dueAt', 'lastError'])
    .select(NOW.as('now'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!found) return null;
  const { now, dueAt, amountMinor, currency, ...payout } = found;
  const remainingMs = dueAt === null ? 0 : Math.max(0, dueAt.getTime() - now.getTime());
  const amount = formatMoney(amountMinor, currency);
  return { ...payout, amount, remainingMs, dueAt: dueAt?.toISOString() ?? null };
}

export type BegunTransfer = NonNullable<Awaited<ReturnType<typeof beginTransfer>>>;

/**
 * Counts an attempt before the processor hears of it: whoever comes later asks first what became of
 * it. Undefined when none is due.
 */
export async function beginTransfer(em: EntityManager, payoutId: string) {
  return kysely(em)
    .updateTable('poolPayout')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .where('dueAt', '<=', NOW)
    .returning(['id as payoutId', 'periodId', 'account', 'amountMinor', 'currency'])
    .returning(['attempts', 'lastError'])
    .executeTakeFirst();
}

type Ended = { payoutId: string; attempts: number; outcome: TransferOutcome };

/** Records what came of an attempt; of a payout that is over nothing changes. */
export async function recordTransfer(em: EntityManager, ended: Ended): Promise<void> {
  const { payoutId, attempts, outcome } = ended;
  const step = decidePayoutStep(attempts, outcome);
  if (step.status === 'paid') await recordPaid(em, { payoutId, transferId: step.transferId });
  else if (step.status === 'failed') await recordFailed(em, { ...ended, reason: step.reason });
  else await recordRetry(em, { payoutId, attempts, ...step });
}

const endPayout = (em: EntityManager, payoutId: string) =>
  kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: null, endedAt: NOW })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying');

async function recordPaid(
  em: EntityManager,
  { payoutId, transferId }: { payoutId: string; transferId: string },
): Promise<void> {
  const paid = await endPayout(em, payoutId)
    .set({ status: 'paid', transferId, lastError: null })
    .returning(['periodId', 'currency', 'amountMinor'])
    .returning(({ fn }) => fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'))
    .executeTakeFirst();
  if (!paid) return warnOfLateTransfer(em, { payoutId, transferId });
  await kysely(em)
    .updateTable('poolLine')
    .set({ status: 'paid' })
    .where('payoutId', '=', payoutId)
    .execute();
  await recordPoolPayout(em, { payoutId, ...paid });
  await tellPeriod(em, { payoutId, periodId: paid.periodId });
  await mailPoolPayout(em, { purpose: 'pool_paid', payoutId });
  await withdrawAlerts(em, { kinds: ['pool_payout_failed'], subject: payoutId });
}

/** A transfer of a payout that was given up: its lines may be paid twice, so an operator looks. */
async function warnOfLateTransfer(
  em: EntityManager,
  { payoutId, transferId }: { payoutId: string; transferId: string },
): Promise<void> {
  const payout = await findPayout(em, payoutId);
  if (payout?.status !== 'failed') return;
  const detail = { problem: `Transfer ${transferId} was made after the payout had failed.` };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

/**
 * The lines go back to what is unpaid: a later period pays them. An attempt that ended late fails
 * nothing once another has begun, because that one may be making the transfer.
 */
async function recordFailed(
  em: EntityManager,
  { payoutId, attempts, outcome, reason }: Ended & { reason: string },
): Promise<void> {
  const failed = await endPayout(em, payoutId)
    .set({ status: 'failed', lastError: reason })
    .where('attempts', '=', attempts)
    .returning('periodId')
    .executeTakeFirst();
  if (!failed) return;
  const { periodId } = failed;
  await kysely(em)
    .updateTable('poolLine')
    .set({ status: 'failed', payoutId: null })
    .where('payoutId', '=', payoutId)
    .execute();
  await tellPeriod(em, { payoutId, periodId });
  // Other reasons are words for operators.
  const told = outcome.is === 'refused' ? { reason } : {};
  await mailPoolPayout(em, { purpose: 'pool_failed', payoutId, ...told });
  const detail = { reason, attempts };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

/**
 * An attempt that ended late changes nothing once another has begun. After the last attempt the
 * processor is only asked, and an operator knows.
 */
async function recordRetry(
  em: EntityManager,
  retry: { payoutId: string; attempts: number; reason: string; waitMs: number },
): Promise<void> {
  const { payoutId, attempts, reason, waitMs } = retry;
  const retried = await kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: fromNow(`${waitMs} milliseconds`), lastError: reason })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .where('attempts', '=', attempts)
    .executeTakeFirst();
  if (retried.numUpdatedRows === 0n || attempts < MOST_ATTEMPTS) return;
  const detail = { reason, attempts };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

function tellPeriod(
  em: EntityManager,
  { payoutId, periodId }: { payoutId: string; periodId: string },
): Promise<void> {
  return sendToActor(em, poolPeriodActor(periodId), { kind: 'payout_ended', payoutId });
}

/** Makes a waiting attempt due at once; false when none waits. */
export async function retryPayoutNow(em: EntityManager, payoutId: string): Promise<boolean> {
  const moved = await kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: NOW })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .where('dueAt', '>', NOW)
    .returning('id')
    .executeTakeFirst();
  if (!moved) return false;
  await sendToActor(em, poolPayoutActor(payoutId), { kind: 'retry_now' });
  return true;
}
