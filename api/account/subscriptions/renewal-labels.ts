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

/** What happens to it next, and when. */
type Next =
  | { step: 'cancelling' | 'resuming' | 'runs' }
  | { step: 'served' | 'ended' | 'retried' | 'ends_unless_paid' | 'ends' | 'renews'; at: Date };

function decideNext(shown: ShownSubscription): Next {
  const { status, requestedChange, periodEnd, graceEndsAt, cancelAt, endedAt } = shown;
  if (shown.servedUntil) return { step: 'served', at: shown.servedUntil };
  if (status === 'ended') return { step: 'ended', at: endedAt! };
  if (requestedChange === 'cancel') return { step: 'cancelling' };
  if (requestedChange === 'resume') return { step: 'resuming' };
  if (status === 'past_due') return { step: 'retried', at: graceEndsAt! };
  if (status === 'canceling') {
    return graceEndsAt === null
      ? { step: 'ends', at: cancelAt! }
      : { step: 'ends_unless_paid', at: graceEndsAt };
  }
  return periodEnd === null ? { step: 'runs' } : { step: 'renews', at: periodEnd };
}

/** The state of the subscription and its next event, as its buyer reads them. */
export function describeRenewal(shown: ShownSubscription): HtmlSafeString | string {
  const next = decideNext(shown);
  switch (next.step) {
    case 'served':
      return html`Ended. You have paid for access until ${instant(next.at)}.`;
    case 'ended':
      return html`Ended ${instant(next.at)}.`;
    case 'retried':
      return html`The last charge failed. We'll keep trying until ${instant(next.at)}; then your
      access ends. Update your card to keep access.`;
    case 'ends_unless_paid':
      return html`Cancelled. Access ends ${instant(next.at)}. ${STILL_TRIED}`;
    case 'ends':
      return html`Cancelled. Access ends ${instant(next.at)}. Nothing more is charged.`;
    case 'renews':
      return html`Renews ${instant(next.at)}.`;
    case 'runs':
      return 'Active';
    default:
      return UNDER_WAY[next.step];
  }
}

/** The next event of the subscription, or the reason of its end: the short form, for tables. */
export function describeRenewalShortly(
  renewing: Renewing,
  write: (at: Date) => HtmlSafeString = instant,
): HtmlSafeString | string {
  const next = decideNext({ ...renewing, servedUntil: null });
  switch (next.step) {
    case 'served':
    case 'ended':
      return html`Ended ${write(next.at)}${renewing.graceEndsAt === null ? '' : ', unpaid'}`;
    case 'retried':
      return html`Grace period ends ${write(next.at)}`;
    case 'ends_unless_paid':
      return html`Ends ${write(next.at)} unless paid`;
    case 'ends':
      return html`Ends ${write(next.at)}`;
    case 'renews':
      return html`Renews ${write(next.at)}`;
    case 'runs':
      return '';
    default:
      return UNDER_WAY[next.step];
  }
}

const UNDER_WAY = { cancelling: 'Cancelling...', resuming: 'Resuming...' } as const;
