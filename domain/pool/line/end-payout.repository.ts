// How a payout ends, by a response of the processor or by an operator's word. One conditional update
// decides which of them ends it; a later one changes nothing.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { recordPoolPayout } from '../../billing/ledger/pool-bookings.repository.ts';
import { poolPayoutActor, poolPeriodActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { mailPoolPayout } from './payout-notices.repository.ts';

const endPayout = (em: EntityManager, payoutId: string) =>
  kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: null, endedAt: NOW, isOutcomeUnknown: false })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .returning(['id as payoutId', 'periodId', 'currency', 'amountMinor'])
    .returning(({ fn }) => fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'));

type EndedPayout = NonNullable<
  Awaited<ReturnType<ReturnType<typeof endPayout>['executeTakeFirst']>>
>;

type Transferred = { payoutId: string; transferId: string };

const endAsPaid = (em: EntityManager, { payoutId, transferId }: Transferred) =>
  endPayout(em, payoutId).set({ status: 'paid', transferId, lastError: null });

const endAsFailed = (em: EntityManager, { payoutId, reason }: Failed) =>
  endPayout(em, payoutId).set({ status: 'failed', lastError: reason });

/**
 * Answers why a payout whose transfer was made cannot end with it: an operator has recorded the
 * transfer for another payout. Null otherwise. One recorded at the same time violates a unique
 * constraint, and the next attempt finds it here.
 */
export async function recordPaid(
  em: EntityManager,
  transferred: Transferred,
): Promise<string | null> {
  const { payoutId, transferId } = transferred;
  const paid = await endAsPaid(em, transferred)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('poolPayout as other')
            .select('other.id')
            .where('other.transferId', '=', transferId),
        ),
      ),
    )
    .executeTakeFirst();
  if (!paid) return warnOfTransfer(em, transferred);
  await payLines(em, paid);
  await withdrawAlerts(em, { kinds: ['pool_payout_failed'], subject: payoutId });
  return null;
}

async function payLines(em: EntityManager, { payoutId, ...paid }: EndedPayout): Promise<void> {
  await kysely(em)
    .updateTable('poolLine')
    .set({ status: 'paid' })
    .where('payoutId', '=', payoutId)
    .execute();
  await recordPoolPayout(em, { payoutId, ...paid });
  await tellPeriod(em, { payoutId, ...paid });
  await mailPoolPayout(em, { purpose: 'pool_paid', payoutId });
}

/** A transfer that the payout did not end with: its lines may be paid twice, so an operator looks. */
async function warnOfTransfer(
  em: EntityManager,
  { payoutId, transferId }: Transferred,
): Promise<string | null> {
  const payout = await kysely(em)
    .selectFrom('poolPayout')
    .select(['status', 'transferId'])
    .select(({ selectFrom }) =>
      selectFrom('poolPayout as other')
        .select('other.id')
        .where('other.transferId', '=', transferId)
        .as('paidByIt'),
    )
    .where('id', '=', payoutId)
    .executeTakeFirst();
  if (!payout || payout.transferId === transferId) return null;
  const problem = PROBLEMS[payout.status](transferId, payout);
  if (payout.status === 'paying') return problem;
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail: { problem } });
  return null;
}

type Other = { transferId: string | null; paidByIt: string | null };

const PROBLEMS = {
  failed: (made: string) => `Transfer ${made} was made after the payout had failed.`,
  paid: (made: string, { transferId }: Other) =>
    `Transfer ${made} was made, but the payout was recorded as paid by ${transferId}.`,
  paying: (made: string, { paidByIt }: Other) =>
    `Transfer ${made} was made, but it is recorded for the payout ${paidByIt}.`,
};

type Failed = { payoutId: string; reason: string };

type FailedAttempt = Failed & {
  attempts: number;
  /** The reason is in words for the owners; other reasons are for operators. */
  isForOwners: boolean;
};

/**
 * An attempt that ended late fails nothing once another has begun, because that one may be making
 * the transfer.
 */
export async function recordFailed(em: EntityManager, failed: FailedAttempt): Promise<void> {
  const { payoutId, attempts, reason, isForOwners } = failed;
  const ended = await endAsFailed(em, failed).where('attempts', '=', attempts).executeTakeFirst();
  if (!ended) return;
  await returnLines(em, ended, isForOwners ? { reason } : {});
  const detail = { reason, attempts };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

/** The lines go back to what is unpaid: a later period pays them. */
async function returnLines(
  em: EntityManager,
  { payoutId, periodId }: EndedPayout,
  told: { reason?: string },
): Promise<void> {
  await kysely(em)
    .updateTable('poolLine')
    .set({ status: 'failed', payoutId: null })
    .where('payoutId', '=', payoutId)
    .execute();
  await tellPeriod(em, { payoutId, periodId });
  await mailPoolPayout(em, { purpose: 'pool_failed', payoutId, ...told });
}

function tellPeriod(
  em: EntityManager,
  { payoutId, periodId }: Pick<EndedPayout, 'payoutId' | 'periodId'>,
): Promise<void> {
  return sendToActor(em, poolPeriodActor(periodId), { kind: 'payout_ended', payoutId });
}

/** What an operator found at the processor. */
export type FoundOutcome = { payoutId: string; by: { personId: string; ip: string | null } } & (
  | { is: 'paid'; transferId: string }
  | { is: 'not_paid'; reason: string }
);

/**
 * Ends a payout of which the processor does not say whether its transfer was made, and wakes its
 * workflow, which ends. False during an attempt, and once the outcome is known. A transfer that
 * another payout has violates a unique constraint.
 */
export async function recordFoundOutcome(em: EntityManager, found: FoundOutcome): Promise<boolean> {
  const { payoutId, by } = found;
  const ending = found.is === 'paid' ? endAsPaid(em, found) : endAsFailed(em, found);
  const ended = await ending.where('isOutcomeUnknown', '=', true).executeTakeFirst();
  if (!ended) return false;
  if (found.is === 'paid') await payLines(em, ended);
  else await returnLines(em, ended, {}); // the reason is in words for operators
  const { action, detail } =
    found.is === 'paid'
      ? ({ action: 'payouts.found_paid', detail: { transfer: found.transferId } } as const)
      : ({ action: 'payouts.found_unpaid', detail: { reason: found.reason } } as const);
  await recordAudit(em, { by, action, subject: payoutId, detail });
  await sendToActor(em, poolPayoutActor(payoutId), { kind: 'outcome_found' });
  await withdrawAlerts(em, { kinds: ['pool_payout_failed'], subject: payoutId });
  return true;
}
