// A payout's way to the processor: the row says what is due.
import { raiseAlert } from '../../alerts/alert.repository.ts';
import { poolPayoutWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { formatMoney } from '../../shared/money.ts';
import { decidePayoutStep, MOST_ATTEMPTS, type TransferOutcome } from './transfer-schedule.ts';
import { recordFailed, recordPaid } from './end-payout.repository.ts';
import { PoolPayout } from './pool-payout.entity.ts';

export type PayoutProgress = {
  status: 'paying' | 'paid' | 'failed';
  /** Is null for a team. */
  personId: string | null;
  /** `12.50 EUR`. */
  amount: string;
  attempts: number;
  dueAt: string | null;
  remainingMs: number;
  lastError: string | null;
};

/** Returns null for a payout that does not exist. */
export async function findPayout(em: EntityManager, id: string): Promise<PayoutProgress | null> {
  const found = await kysely(em)
    .selectFrom('poolPayout')
    .select(['status', 'personId', 'amountMinor', 'currency', 'attempts', 'dueAt', 'lastError'])
    .select(NOW.as('now'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!found) return null;
  const { now: at, dueAt, amountMinor, currency, ...payout } = found;
  const remainingMs = dueAt === null ? 0 : Math.max(0, dueAt.getTime() - at.getTime());
  const amount = formatMoney(amountMinor, currency);
  return { ...payout, amount, remainingMs, dueAt: dueAt?.toISOString() ?? null };
}

export type BegunTransfer = NonNullable<Awaited<ReturnType<typeof beginTransfer>>>;

/**
 * Counts an attempt before the request is sent: a later attempt asks the processor first what became
 * of this one. Until the attempt ends no operator decides. Undefined when none is due.
 */
export async function beginTransfer(em: EntityManager, payoutId: string) {
  return kysely(em)
    .updateTable('poolPayout')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), isOutcomeUnknown: false }))
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
  else if (step.status === 'failed') {
    const isForOwners = outcome.is === 'refused';
    await recordFailed(em, { payoutId, attempts, reason: step.reason, isForOwners });
  } else {
    const isOutcomeUnknown = outcome.is === 'unknown';
    await recordRetry(em, { payoutId, attempts, isOutcomeUnknown, ...step });
  }
}

type Retry = {
  payoutId: string;
  attempts: number;
  isOutcomeUnknown: boolean;
  reason: string;
  waitMs: number;
};

/**
 * An attempt that ended late changes nothing once another has begun. After the last attempt the
 * processor is only asked, and an operator knows.
 */
async function recordRetry(em: EntityManager, retry: Retry): Promise<void> {
  const { payoutId, attempts, isOutcomeUnknown, reason, waitMs } = retry;
  const retried = await kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: fromNow(`${waitMs} milliseconds`), lastError: reason, isOutcomeUnknown })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .where('attempts', '=', attempts)
    .executeTakeFirst();
  if (retried.numUpdatedRows === 0n || attempts < MOST_ATTEMPTS) return;
  const detail = { reason, attempts };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

/** Makes a waiting attempt due at once; false when none waits. */
export async function retryPayoutNow(em: EntityManager, payoutId: string): Promise<boolean> {
  const dueAt = await now(em);
  const waiting = { id: payoutId, status: 'paying', dueAt: { $gt: dueAt } } as const;
  if ((await em.nativeUpdate(PoolPayout, waiting, { dueAt })) === 0) return false;
  await sendToWorkflow(em, poolPayoutWorkflow(payoutId), { kind: 'retry_now' });
  return true;
}
