import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
import { onwardsTo, type Destination } from '../destination.ts';
import { CONFIRM_EMAIL } from '../start-session.ts';

type Props = {
  email: string;
  /** What sent the person here. */
  destination: Destination | null;
  token: string;
};

/** Shows a step of buying: what is bought, where the link went, and how it is sent again. */
export function confirmEmailPage({ email, destination, token }: Props): View {
  const title =
    destination === null
      ? 'Confirm your email to continue'
      : `Confirm your email to ${onwardsTo(destination)} ${destination.name}`;
  return oneStepPage({
    title,
    destination,
    mark: html`data-step="confirm-email"`,
    lede: html`<p class="lede">
      Follow the link in the email that we sent to <strong class="id">${email}</strong>. Open it in
      this browser, and the purchase goes on from there.
    </p>`,
    content: html`
      ${button({
        text: 'I have confirmed it',
        href: CONFIRM_EMAIL,
        kind: 'primary',
        size: 'large',
      })}
      <div class="again">
        ${smallButton({ action: CONFIRM_EMAIL, token, button: 'Send the link again' })}
        <small>Check your spam folder first.</small>
      </div>
    `,
    below: html`<p>
      Another address? Change it in your <a href="/settings/security">security settings</a>.
    </p>`,
  });
}
