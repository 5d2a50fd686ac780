// How a payout ends, by a response of the processor or by an operator's word. One conditional update
// decides which of them ends it; a later one changes nothing.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { recordPoolPayout } from '../../billing/ledger/pool-bookings.repository.ts';
import { poolPayoutWorkflow, poolPeriodWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { queueMoneyMail } from '../../identity/mail/mail.repository.ts';
import { findOwnersOf } from '../../notifications/recipients.repository.ts';
import { formatMoney } from '../../shared/money.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { PoolLine } from './pool-line.entity.ts';
import { PoolPayout } from './pool-payout.entity.ts';

const updateOpen = (em: EntityManager, payoutId: string) =>
  kysely(em)
    .updateTable('poolPayout')
    .set({ dueAt: null, endedAt: NOW, isOutcomeUnknown: false })
    .where('id', '=', payoutId)
    .where('status', '=', 'paying')
    .returning(['id as payoutId', 'periodId', 'currency', 'amountMinor'])
    .returning(({ fn }) => fn.coalesce('teamId', 'personId').$castTo<string>().as('ownerId'));

type EndedPayout = NonNullable<
  Awaited<ReturnType<ReturnType<typeof updateOpen>['executeTakeFirst']>>
>;

type Transferred = { payoutId: string; transferId: string };

const updateToPaid = (em: EntityManager, { payoutId, transferId }: Transferred) =>
  updateOpen(em, payoutId).set({ status: 'paid', transferId, lastError: null });

const updateToFailed = (em: EntityManager, { payoutId, reason }: Failed) =>
  updateOpen(em, payoutId).set({ status: 'failed', lastError: reason });

export async function recordPaid(em: EntityManager, transferred: Transferred): Promise<void> {
  const paid = await updateToPaid(em, transferred).executeTakeFirst();
  if (!paid) return warnOfLateTransfer(em, transferred);
  await payLines(em, paid);
  await warnOfMistypedTransfer(em, transferred);
  await withdrawAlerts(em, { kinds: ['pool_payout_failed'], subject: paid.payoutId });
}

async function payLines(em: EntityManager, { payoutId, ...paid }: EndedPayout): Promise<void> {
  await em.nativeUpdate(PoolLine, { payoutId }, { status: 'paid' });
  await recordPoolPayout(em, { payoutId, ...paid });
  await tellPeriod(em, { payoutId, ...paid });
  await mailPoolPayout(em, { purpose: 'pool_paid', payoutId });
}

/** A transfer that the payout did not end with: its lines may be paid twice, so an operator looks. */
async function warnOfLateTransfer(
  em: EntityManager,
  { payoutId, transferId }: Transferred,
): Promise<void> {
  const payout = await em.findOne(PoolPayout, { id: payoutId });
  if (!payout || payout.status === 'paying' || payout.transferId === transferId) return;
  const problem =
    payout.status === 'failed'
      ? `Transfer ${transferId} was made after the payout had failed.`
      : `Transfer ${transferId} was made, but the payout was recorded as paid by ${payout.transferId}.`;
  await raiseAlert(em, {
    kind: 'pool_transfer_unexpected',
    subject: payoutId,
    detail: { problem },
  });
}

/** An operator has recorded this transfer for another payout, which was not paid by it. */
async function warnOfMistypedTransfer(em: EntityManager, transferred: Transferred): Promise<void> {
  const { payoutId, transferId } = transferred;
  const other = await otherWithTransfer(em, transferred).executeTakeFirst();
  if (!other) return;
  const problem = `The payout was recorded as paid by transfer ${transferId}, but that one paid ${payoutId}.`;
  await raiseAlert(em, {
    kind: 'pool_transfer_unexpected',
    subject: other.id,
    detail: { problem },
  });
}

const otherWithTransfer = (em: EntityManager, { payoutId, transferId }: Transferred) =>
  kysely(em)
    .selectFrom('poolPayout as other')
    .select('other.id')
    .where('other.transferId', '=', transferId)
    .where('other.id', '<>', payoutId);

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
  const ended = await updateToFailed(em, failed)
    .where('attempts', '=', attempts)
    .executeTakeFirst();
  if (!ended) return;
  await returnLines(em, ended, isForOwners ? { reason } : {});
  const detail = { reason, attempts };
  await raiseAlert(em, { kind: 'pool_payout_failed', subject: payoutId, detail });
}

/** The lines go back to what is unpaid: a later period pays them. */
async function returnLines(
  em: EntityManager,
  { payoutId, periodId }: EndedPayout,
  mailed: { reason?: string },
): Promise<void> {
  await em.nativeUpdate(PoolLine, { payoutId }, { status: 'failed', payoutId: null });
  await tellPeriod(em, { payoutId, periodId });
  await mailPoolPayout(em, { purpose: 'pool_failed', payoutId, ...mailed });
}

function tellPeriod(
  em: EntityManager,
  { payoutId, periodId }: Pick<EndedPayout, 'payoutId' | 'periodId'>,
): Promise<void> {
  return sendToWorkflow(em, poolPeriodWorkflow(periodId), { kind: 'payout_ended', payoutId });
}

type EndNotice = {
  purpose: 'pool_paid' | 'pool_failed';
  payoutId: string;
  /** The reason in words for the owners. */
  reason?: string;
};

/** Mails the owners once for a payout, in the transaction that ends it. */
async function mailPoolPayout(
  em: EntityManager,
  { purpose, payoutId, ...reason }: EndNotice,
): Promise<void> {
  const { personId, teamId, periodId, amountMinor, currency } = await em.findOneOrFail(PoolPayout, {
    id: payoutId,
  });
  const facts = {
    amount: formatMoney(amountMinor, currency),
    month: readPeriodId(periodId).month,
    payout: payoutId,
    ...reason,
  };
  const owner = teamId === null ? { personId: personId! } : { teamId };
  for (const person of await findOwnersOf(em, owner)) {
    await queueMoneyMail(em, { purpose, subject: payoutId, facts, ...person });
  }
}

/** What an operator found at the processor. */
export type FoundOutcome = { payoutId: string; by: { personId: string; ip: string | null } } & (
  | { is: 'paid'; transferId: string }
  | { is: 'not_paid'; reason: string }
);

/**
 * Ends a payout of which the processor does not say whether its transfer was made, and wakes its
 * workflow, which ends. `known`: an attempt is under way, or the outcome is known. `taken`: another
 * payout has the transfer.
 */
export async function recordFoundOutcome(
  em: EntityManager,
  found: FoundOutcome,
): Promise<'recorded' | 'known' | 'taken'> {
  const { payoutId } = found;
  if (found.is === 'paid') {
    const ended = await updateToPaid(em, found)
      .where('isOutcomeUnknown', '=', true)
      .where(({ not, exists }) => not(exists(otherWithTransfer(em, found))))
      .executeTakeFirst();
    if (!ended) return (await otherWithTransfer(em, found).executeTakeFirst()) ? 'taken' : 'known';
    await payLines(em, ended);
  } else {
    const ended = await updateToFailed(em, found)
      .where('isOutcomeUnknown', '=', true)
      .executeTakeFirst();
    if (!ended) return 'known';
    await returnLines(em, ended, {}); // the reason is in words for operators
  }
  const isPaid = found.is === 'paid';
  await recordAudit(em, {
    by: found.by,
    action: isPaid ? 'payouts.found_paid' : 'payouts.found_not_paid',
    subject: payoutId,
    detail: isPaid ? { transfer: found.transferId } : { reason: found.reason },
  });
  await sendToWorkflow(em, poolPayoutWorkflow(payoutId), { kind: 'outcome_found' });
  await withdrawAlerts(em, { kinds: ['pool_payout_failed'], subject: payoutId });
  return 'recorded';
}
