// What happens to a subscription or a membership next.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { instant } from '../../html/dates.ts';

// The processor goes on retrying a charge that was due before the cancellation.
export const STILL_TRIED =
  "If we still collect the failed payment, you keep access for the period that it pays for. We won't charge you again after that.";

type Renewing = Pick<
  SubscriptionView,
  'status' | 'requestedChange' | 'periodEnd' | 'graceEndsAt' | 'cancelAt' | 'endedAt'
>;

type ShownSubscription = Renewing & {
  /** The end of access of an ended membership whose paid period still runs. */
  servedUntil?: Date | null;
};

/** The state of the subscription and its next event, as its buyer reads them. */
export function describeRenewal(shown: ShownSubscription): HtmlSafeString | string {
  const { status, requestedChange, periodEnd, graceEndsAt, cancelAt, endedAt } = shown;
  if (shown.servedUntil) {
    return html`Ended. You have paid for access until ${instant(shown.servedUntil)}.`;
  }
  if (status === 'ended') return html`Ended ${instant(endedAt!)}.`;
  if (requestedChange === 'cancel') return 'Cancelling...';
  if (requestedChange === 'resume') return 'Resuming...';
  if (status === 'canceling' && graceEndsAt !== null) {
    return html`Cancelled. Access ends ${instant(graceEndsAt)}. ${STILL_TRIED}`;
  }
  if (status === 'canceling') {
    return html`Cancelled. Access ends ${instant(cancelAt!)}. Nothing more is charged.`;
  }
  if (status === 'past_due') {
    return html`The last charge failed. We'll keep trying until ${instant(graceEndsAt!)}; then your
    access ends. Update your card to keep access.`;
  }
  return periodEnd === null ? 'Active' : html`Renews ${instant(periodEnd)}.`;
}

/** The next event of the subscription, or the reason of its end: the short form, for tables. */
export function aheadOf(
  renewing: Renewing,
  write: (at: Date) => HtmlSafeString = instant,
): HtmlSafeString | string {
  const { status, requestedChange, periodEnd, graceEndsAt, cancelAt, endedAt } = renewing;
  if (status === 'ended') {
    return html`Ended ${write(endedAt!)}${graceEndsAt === null ? '' : ', unpaid'}`;
  }
  if (requestedChange === 'cancel') return 'Cancelling...';
  if (requestedChange === 'resume') return 'Resuming...';
  if (status === 'past_due') return html`Grace period ends ${write(graceEndsAt!)}`;
  if (status === 'canceling' && graceEndsAt !== null) {
    return html`Ends ${write(graceEndsAt)} unless paid`;
  }
  if (status === 'canceling') return html`Ends ${write(cancelAt!)}`;
  return periodEnd === null ? '' : html`Renews ${write(periodEnd)}`;
}
