import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { confirmation } from '../../html/form.ts';
import { STILL_TRIED } from './renewal.page.ts';
import { toDay } from '../../../domain/shared/instant.ts';

type Props = {
  shown: Pick<SubscriptionView, 'periodEnd' | 'graceEndsAt'>;
  name: string;
  /** The access that remains until the end. */
  kept: string;
  path: string;
  button: string;
  token: string;
};

/** Asks before anything is cancelled. */
export function cancellationPage({ shown, name, kept, path, button, token }: Props): View {
  const { periodEnd, graceEndsAt } = shown;
  const end = graceEndsAt ?? periodEnd;
  const until = end === null ? 'the end of the billing period' : toDay(end);
  const sentences =
    graceEndsAt === null
      ? [
          `You keep ${kept} until ${until}. Nothing more is charged.`,
          'You can resume anytime before then.',
        ]
      : [`You keep ${kept} until ${until}.`, STILL_TRIED];
  const action = `${path}/cancel`;
  const wayOut = { path, label: `Keep ${name}` };
  return {
    title: `Cancel ${name}`,
    content: html`<div class="slim">
      <h1>Cancel ${name}</h1>
      ${confirmation({ action, token, button, sentences, wayOut })}
    </div>`,
  };
}
