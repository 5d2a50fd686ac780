import { queueMail } from '../../identity/mail/mail.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { notifyOfCancellation, notifyOfResumption } from '../notices/money-notices.repository.ts';
import {
  decideSubscriptionAskAgainMs,
  decideDue,
  failureDueAt,
  reminderDueAt,
  type DueFacts,
} from './next-check.ts';
import type { SubscriptionReading } from './processor-snapshot.ts';
import type { SubscriptionState } from './reported-state.ts';
import type { RenewableRow, BookedCharges } from './next-state.ts';

type StateMove = {
  /** The row before the reading, locked. */
  renewed: RenewableRow;
  state: SubscriptionState;
  reading: SubscriptionReading;
  booked: BookedCharges;
  fence: { sequence: number; changeNumber: number };
  at: Date;
};

/** The columns after the reading; sends the mails that are due. */
export async function describeRow(em: EntityManager, moved: StateMove) {
  const { renewed, state, reading, booked, fence, at } = moved;
  const { personId, billingInterval, changeNumber, failureNotifiedAt, remindedOf } = renewed;
  const periodStart = booked.paid?.periodStart ?? null;
  const periodEnd = booked.paid?.periodEnd ?? null;
  const isClosing = state.status === 'ended' && reading.status !== 'ended';
  const awaiting = { ...state, billingInterval, periodEnd, failureNotifiedAt, remindedOf };
  const mailed = await mailSubscriber(em, personId, { subscription: awaiting, at });
  await mailChange(em, moved);
  const due = decideDue({ ...awaiting, ...mailed });
  const wasOver = renewed.status === 'ended' && !renewed.isClosing;
  const isClearing = reading.charges.some(({ status }) => status === 'clearing');
  const askMs = decideSubscriptionAskAgainMs({ ...state, due, isClosing, wasOver, isClearing }, at);
  const { isCutShort: _, ...columns } = state;
  const isChangeApplied = changeNumber === fence.changeNumber || state.status === 'ended';
  return {
    ...columns,
    ...mailed,
    periodStart,
    periodEnd,
    isClosing,
    appliedSequence: fence.sequence,
    askAgainAt: askMs === null ? null : new Date(at.getTime() + askMs),
    ...(isChangeApplied ? { requestedChange: null } : {}),
  };
}

/** The subscriber's own change, once it is true at the processor. */
async function mailChange(em: EntityManager, { renewed, state, booked, fence }: StateMove) {
  const { id, personId, status: before } = renewed;
  const changed = { id, personId, sequence: fence.sequence };
  const periodEnd = booked.paid?.periodEnd ?? null;
  if (before !== 'canceling' && before !== 'ended' && state.status === 'canceling') {
    const { graceEndsAt, cancelAt } = state;
    await notifyOfCancellation(em, { ...changed, graceEndsAt, end: cancelAt ?? periodEnd });
  } else if (before === 'canceling' && state.status === 'active') {
    await notifyOfResumption(em, { ...changed, end: periodEnd });
  }
}

type MailState = Pick<DueFacts, 'failureNotifiedAt' | 'remindedOf'>;

/** Queues the mails that are due, each once, and returns the new state of the mails. */
async function mailSubscriber(
  em: EntityManager,
  personId: string,
  { subscription, at }: { subscription: DueFacts; at: Date },
): Promise<MailState> {
  const { status, periodEnd, graceEndsAt } = subscription;
  let { failureNotifiedAt, remindedOf } = subscription;
  const failureAt = failureDueAt(subscription);
  // A subscriber who loses access is mailed at once.
  const isLost = status === 'ended' && graceEndsAt !== null;
  if (failureAt && (isLost || (status === 'past_due' && failureAt <= at))) {
    await mail(em, personId, 'renewal_failed');
    failureNotifiedAt = at;
  }
  if (status === 'active') failureNotifiedAt = null;
  const reminderAt = reminderDueAt(subscription);
  if (reminderAt && reminderAt <= at && periodEnd && periodEnd > at) {
    await mail(em, personId, 'renewal_ahead');
    remindedOf = periodEnd;
  }
  return { failureNotifiedAt, remindedOf };
}

async function mail(
  em: EntityManager,
  personId: string,
  purpose: 'renewal_failed' | 'renewal_ahead',
): Promise<void> {
  const person = await kysely(em)
    .selectFrom('person')
    .select('email as address')
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (person) await queueMail(em, { purpose, personId, ...person });
}
