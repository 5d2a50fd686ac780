import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
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
  return {
    title,
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow" data-step="confirm-email">
        <h1>${title}</h1>
        <p>
          Follow the link in the email that we sent to <strong class="id">${email}</strong>. Open it
          in this browser, and the purchase goes on from there.
        </p>
        <div class="actions">
          <a role="button" href="${CONFIRM_EMAIL}">I have confirmed it</a>
          ${smallButton({ action: CONFIRM_EMAIL, token, button: 'Send the link again' })}
        </div>
        <p class="muted">
          No email after a few minutes? Check your spam folder. Another address? Change it in your
          <a href="/settings/security">security settings</a>.
        </p>
      </div>
    `,
  };
}
