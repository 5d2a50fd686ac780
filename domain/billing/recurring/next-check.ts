// The next due time of a subscription, so that nothing depends on a message that may be lost.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/instant.ts';
import type { BillingInterval } from './billing-interval.ts';
import type { SubscriptionState } from './reported-state.ts';
import type { SubscriptionStatus } from './status-moves.ts';

/** The processor waits an hour between the bill and the charge. */
const RENEWAL_LATE_MS = 2 * HOUR_MS;
const ASK_EVERY_MS = 6 * HOUR_MS;
/** A retry on the next day that succeeds then makes no mail. */
const FAILURE_MAILED_AFTER_MS = 25 * HOUR_MS;
const REMINDED_BEFORE_MS = 7 * DAY_MS;

export type DueFacts = Omit<SubscriptionState, 'endedAt' | 'isCutShort'> & {
  billingInterval: BillingInterval;
  periodEnd: Date | null;
  failureNotifiedAt: Date | null;
  remindedOf: Date | null;
};

export type Due = { what: 'renewal' | 'reminder' | 'failure mail' | 'grace' | 'end'; at: Date };

/** The next instant with something to do or to ask; null when there is none. */
export function decideDue(subscription: DueFacts): Due | null {
  return allDue(subscription).reduce<Due | null>(
    (first, due) => (first === null || due.at < first.at ? due : first),
    null,
  );
}

function allDue(awaiting: DueFacts): Due[] {
  const { status, periodEnd, graceEndsAt, cancelAt } = awaiting;
  if (status === 'past_due' && graceEndsAt) {
    const mailAt = failureDueAt(awaiting);
    const due: Due = { what: 'grace', at: graceEndsAt };
    return mailAt ? [due, { what: 'failure mail', at: mailAt }] : [due];
  }
  if (status === 'canceling' && cancelAt) return [{ what: 'end', at: later(cancelAt, MINUTE_MS) }];
  if (status !== 'active' || !periodEnd) return [];
  const reminder = reminderDueAt(awaiting);
  const renewal: Due = { what: 'renewal', at: later(periodEnd, RENEWAL_LATE_MS) };
  return reminder ? [renewal, { what: 'reminder', at: reminder }] : [renewal];
}

/** Returns null once the mail was sent. */
export function failureDueAt({ pastDueAt, failureNotifiedAt }: DueFacts): Date | null {
  return pastDueAt === null || failureNotifiedAt !== null
    ? null
    : later(pastDueAt, FAILURE_MAILED_AFTER_MS);
}

/** Yearly renewals alone are announced, each once. */
export function reminderDueAt(awaiting: DueFacts): Date | null {
  const { billingInterval, periodEnd, remindedOf, status } = awaiting;
  if (billingInterval !== 'year' || status !== 'active' || periodEnd === null) return null;
  if (remindedOf?.getTime() === periodEnd.getTime()) return null;
  return later(periodEnd, -REMINDED_BEFORE_MS);
}

/** The workflow's wait. An overdue subscription is asked about every few hours, for ever. */
export function waitForDueMs(due: Due | null, at: Date): number {
  const aheadMs = due === null ? 0 : due.at.getTime() - at.getTime();
  return aheadMs > 0 ? aheadMs : ASK_EVERY_MS;
}

function later(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds);
}

/** How long after the workflow should have asked. */
const RECONCILED_AFTER_MS = 10 * MINUTE_MS;
/** An ended subscription is read once more: the processor may have charged in between. */
const LAST_LOOK_MS = 10 * DAY_MS;
/** A clearing payment arrives or fails, whatever happened to its subscription. */
const CLEARING_ASKED_MS = 12 * HOUR_MS;

type AskFacts = {
  due: Due | null;
  status: SubscriptionStatus;
  isClosing: boolean;
  endedAt: Date | null;
  /** The end was known here and at the processor before this reading. */
  wasOver: boolean;
  /** A charge is neither paid nor failed. */
  isClearing: boolean;
};

/**
 * The time after which reconciliation asks if the workflow did not; null when there is nothing left
 * to ask.
 */
export function decideSubscriptionAskAgainMs(asked: AskFacts, at: Date): number | null {
  const { due, status, isClosing, endedAt, wasOver, isClearing } = asked;
  if (isClosing) return RECONCILED_AFTER_MS;
  if (status !== 'incomplete' && status !== 'ended') {
    return waitForDueMs(due, at) + RECONCILED_AFTER_MS;
  }
  if (isClearing) return CLEARING_ASKED_MS;
  if (status === 'incomplete' || endedAt === null) return null;
  if (!wasOver) return LAST_LOOK_MS;
  // The end is reported twice: the last look stays where it was.
  const aheadMs = endedAt.getTime() + LAST_LOOK_MS - at.getTime();
  return aheadMs > 0 ? aheadMs : null;
}
