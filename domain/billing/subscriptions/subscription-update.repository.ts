import type { EntityManager } from '../../../platform/database/database.ts';
import { decideAskAgainMs, decideDue } from './subscription-due.ts';
import { tellSubscriber } from './subscription-mails.repository.ts';
import type { SubscriptionReading } from './subscription-reading.ts';
import type { SubscriptionState } from './subscription-state.ts';
import type { Renewed, Settled } from './recurring-billing.ts';

type Moved = {
  /** The row before the reading, locked. */
  renewed: Renewed;
  state: SubscriptionState;
  reading: SubscriptionReading;
  settled: Settled;
  fence: { sequence: number; changeNumber: number };
  at: Date;
};

/** The columns after the reading; sends the mails that are due. */
export async function describeRow(em: EntityManager, moved: Moved) {
  const { renewed, state, reading, settled, fence, at } = moved;
  const { personId, billingInterval, changeNumber, failureNotifiedAt, remindedOf } = renewed;
  const periodStart = settled.paid?.periodStart ?? null;
  const periodEnd = settled.paid?.periodEnd ?? null;
  const isClosing = state.status === 'ended' && reading.status !== 'ended';
  const awaiting = { ...state, billingInterval, periodEnd, failureNotifiedAt, remindedOf };
  const mailed = await tellSubscriber(em, personId, { subscription: awaiting, at });
  const due = decideDue({ ...awaiting, ...mailed });
  const wasOver = renewed.status === 'ended' && !renewed.isClosing;
  const isClearing = reading.charges.some(({ status }) => status === 'clearing');
  const askMs = decideAskAgainMs({ ...state, due, isClosing, wasOver, isClearing }, at);
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
