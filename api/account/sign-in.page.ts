import { assetPath } from '../html/assets.ts';
import { html } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { form } from '../html/form.ts';
import { formToken } from '../html/layout.ts';
import { button } from '../html/parts/button.ts';
import { pendingNotice, type Destination } from './destination.ts';
import { oneStepPage } from './one-step.ts';

type Props = {
  formToken: string;
  refusedEmail?: string;
  /** The address that was entered in this browser before. */
  email?: string;
  isPasskeyRefused?: boolean;
  /** What sent the person here. */
  destination: Destination | null;
};

const FORGOT = {
  path: '/forgot-password',
  text: 'Forgot it?',
  label: 'Forgot it? Choose a new one',
};

const NOT_CONFIRMED = 'If you just signed up, follow the link in our email first.';

export function signInPage(props: Props): View {
  const { refusedEmail, email = '', destination } = props;
  const refusal =
    refusedEmail !== undefined
      ? 'The email address or the password is wrong.'
      : props.isPasskeyRefused
        ? 'This passkey was not accepted. Try again, or use your password.'
        : null;
  return oneStepPage({
    title: 'Sign in',
    destination,
    lede: html`${pendingNotice('Sign in', destination)}`,
    content: html`
      ${refusal === null ? '' : html`<p id="problem" class="notice" role="alert">${refusal} ${NOT_CONFIRMED}</p>`}
      ${passkeyForm(props.formToken)}
      ${form({
        action: '/sign-in',
        token: props.formToken,
        button: 'Sign in',
        isMain: true,
        fields: [
          {
            label: 'Email',
            name: 'email',
            type: 'email',
            value: refusedEmail ?? email,
            autocomplete: 'username',
            isInvalid: refusedEmail !== undefined,
          },
          {
            label: 'Password',
            name: 'password',
            type: 'password',
            autocomplete: 'current-password',
            isInvalid: refusedEmail !== undefined,
            beside: FORGOT,
          },
        ],
      })}
    `,
    below: html`<p>New here? <a href="/sign-up">Sign up</a></p>`,
  });
}

/** Shown by its script, where the browser knows passkeys. */
function passkeyForm(token: string) {
  return html`<form
      method="post"
      action="/sign-in/passkey"
      data-passkey="get"
      data-options="/sign-in/passkey/options"
      hidden
    >
      ${formToken(token)}
      <input type="hidden" name="response" />
      ${button({ text: 'Sign in with a passkey', icon: 'fingerprint', size: 'large' })}
      <p class="problem" role="alert" data-passkey-problem hidden>
        Passkey sign-in was cancelled. Try again.
      </p>
      <p class="or">or</p>
    </form>
    <script src="${assetPath('passkeys.js')}" defer></script>`;
}
