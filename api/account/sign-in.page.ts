import { assetPath } from '../html/assets.ts';
import { html } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { form } from '../html/form.ts';
import { formToken } from '../html/layout.ts';
import { pendingNotice, type Destination } from './destination.ts';

type Props = {
  formToken: string;
  refusedEmail?: string;
  /** The address that was entered in this browser before. */
  email?: string;
  isPasskeyRefused?: boolean;
  /** What sent the person here. */
  destination: Destination | null;
};

const NOT_CONFIRMED = 'If you just signed up, follow the link in our email first.';

export function signInPage(props: Props): View {
  const { refusedEmail, email = '' } = props;
  const refusal =
    refusedEmail !== undefined
      ? 'The email address or the password is wrong.'
      : props.isPasskeyRefused
        ? 'This passkey was not accepted. Try again, or use your password.'
        : null;
  const problem = refusal && `${refusal} ${NOT_CONFIRMED}`;
  return {
    title: 'Sign in',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <h1>Sign in</h1>
        ${pendingNotice('Sign in', props.destination)}
        ${problem ? html`<p id="problem" class="notice" role="alert">${problem}</p>` : ''}
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
            },
          ],
        })}
        ${passkeyForm(props.formToken)}
        <p><a href="/forgot-password">Forgot your password?</a></p>
        <p>New here? <a href="/sign-up">Sign up</a></p>
      </div>
    `,
  };
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
      <button type="submit" class="outline">Sign in with a passkey</button>
      <p role="alert" data-passkey-problem hidden>Passkey sign-in was cancelled. Try again.</p>
    </form>
    <script src="${assetPath('passkeys.js')}" defer></script>`;
}
