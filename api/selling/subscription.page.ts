import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../domain/platform/money.ts';
import type { SubscriptionView } from '../../domain/selling/subscriptions/subscription-view.store.ts';
import type { View } from '../route.ts';
import { confirmation, smallButton } from '../views/forms.ts';
import { instant } from '../views/layout.ts';
import { notice } from '../views/notices.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';

export const PER = { month: 'a month', year: 'a year' } as const;

export const subscriptionPath = ({ subscriptionId }: Pick<SubscriptionView, 'subscriptionId'>) =>
  `/subscriptions/${subscriptionId}`;

type Props = { subscription: SubscriptionView; token: string; notice: unknown };

export function subscriptionPage({ subscription, token, notice: code }: Props): View {
  const { productName, slug, amountMinor, currency, billingInterval, purchaseId } = subscription;
  return {
    title: `Subscription to ${productName}`,
    content: html`
      <p class="trail"><a href="${MY_PURCHASES}">Purchases</a></p>
      <article data-status="${subscription.status}">
        <hgroup>
          <h1>${productName}</h1>
          <p>Subscription</p>
        </hgroup>
        ${notice(code)}
        <p class="price">${formatMoney(amountMinor, currency)} ${PER[billingInterval]}</p>
        <p role="status">${sentenceOf(subscription)}</p>
        ${actions(subscription, token)}
        <p>
          <a href="/p/${slug}">${productName}</a> -
          <a href="/purchases/${purchaseId}">First payment</a>
        </p>
        <p><small class="muted id">${subscription.subscriptionId}</small></p>
      </article>
    `,
  };
}

// The processor goes on trying what was due before.
const STILL_TRIED =
  'Should the charge that failed still succeed, it runs until the end of what that has paid for, and nothing more is charged.';

type Standing = Pick<
  SubscriptionView,
  'status' | 'wish' | 'periodEnd' | 'graceEndsAt' | 'cancelAt' | 'endedAt'
>;

/** What is going on with it, for the list of purchases and for Member too. */
export function sentenceOf(subscription: Standing): HtmlSafeString | string {
  const { status, wish, periodEnd, graceEndsAt, cancelAt, endedAt } = subscription;
  if (status === 'ended') return html`Ended ${instant(endedAt!)}.`;
  if (wish === 'cancel') return 'Is being cancelled: the payment processor has yet to confirm it.';
  if (wish === 'resume') return 'Is being resumed: the payment processor has yet to confirm it.';
  if (status === 'canceling' && graceEndsAt !== null) {
    return html`Cancelled: it runs until ${instant(graceEndsAt)}. ${STILL_TRIED}`;
  }
  if (status === 'canceling') {
    return html`Cancelled: it runs until ${instant(cancelAt!)}, and nothing more is charged.`;
  }
  if (status === 'past_due') {
    return html`The last charge failed. We try again until ${instant(graceEndsAt!)}; then it ends.
    Another card helps at once.`;
  }
  return periodEnd === null ? 'Running.' : html`Renews ${instant(periodEnd)}.`;
}

function actions(subscription: SubscriptionView, token: string): HtmlSafeString | '' {
  const { status, wish, graceEndsAt } = subscription;
  const path = subscriptionPath(subscription);
  if (status === 'ended') return '';
  const isCancelled = wish === 'cancel' || (status === 'canceling' && wish !== 'resume');
  const canResume = isCancelled && graceEndsAt === null;
  const card = smallButton({ action: `${path}/card`, token, button: 'Use another card' });
  const resume = smallButton({ action: `${path}/resume`, token, button: 'Resume' });
  return html`<div class="actions">
    ${isCancelled ? '' : html`<a role="button" class="outline secondary" href="${path}/cancel">Cancel</a>`}
    ${canResume ? resume : ''} ${card}
  </div>`;
}

/** Asks before anything is cancelled. */
export function cancellationPage(subscription: SubscriptionView, token: string): View {
  const { productName, periodEnd, graceEndsAt } = subscription;
  const path = subscriptionPath(subscription);
  const end = graceEndsAt ?? periodEnd;
  const until = end === null ? 'the end of what is paid for' : end.toISOString().slice(0, 10);
  const sentences =
    graceEndsAt === null
      ? [
          `You keep ${productName} until ${until}, and nothing more is charged.`,
          'Until then you can resume it at any time.',
        ]
      : [`You keep ${productName} until ${until}.`, STILL_TRIED];
  return {
    title: `Cancel ${productName}`,
    content: html`<div class="slim">
      <h1>Cancel ${productName}</h1>
      ${confirmation({
        action: `${path}/cancel`,
        token,
        button: 'Cancel the subscription',
        sentences,
        wayOut: { path, label: 'Keep it' },
      })}
    </div>`,
  };
}
