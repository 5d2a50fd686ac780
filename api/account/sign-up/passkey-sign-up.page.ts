import { assetPath } from '../../html/assets.ts';
import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { field } from '../../html/parts/field.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { button } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
import { pendingNotice, type Destination } from '../destination.ts';
import type { RegistrationProblems, RegistrationValues } from './registration.ts';
import { fieldsOfRegistration } from './sign-up.page.ts';

export const PASSKEY_SIGN_UP = '/sign-up/passkey';

type Props = {
  formToken: string;
  values: RegistrationValues;
  problems: RegistrationProblems;
  /** The authenticator gave no valid response. */
  isPasskeyMissing: boolean;
  /** What sent the person here. */
  destination: Destination | null;
};

/** The form is shown by its script, where the browser knows passkeys. */
export function passkeySignUpPage(props: Props): View {
  const withPassword = html`<a href="/sign-up">Sign up with a password</a>`;
  return oneStepPage({
    title: 'Sign up with a passkey',
    destination: props.destination,
    lede: html`${pendingNotice('Sign up', props.destination)}
      <p class="lede">
        Your device or your password manager keeps the passkey. You need no password.
      </p>`,
    content: html`
      <form
        method="post"
        action="${PASSKEY_SIGN_UP}"
        data-passkey="create"
        data-options="${PASSKEY_SIGN_UP}/options"
        hidden
      >
        ${formToken(props.formToken)}
        <input type="hidden" name="response" />
        ${fieldsOfRegistration(props.values, props.problems).map(field)}
        ${button({
          text: 'Create a passkey and sign up',
          icon: 'fingerprint',
          kind: 'primary',
          size: 'large',
        })}
        <p
          class="problem"
          role="alert"
          data-passkey-problem
          ${props.isPasskeyMissing ? '' : html`hidden`}
        >
          No passkey was created. Try again.
        </p>
      </form>
      <p class="notice" role="status" data-passkey-unknown hidden>
        This browser does not support passkeys. ${withPassword} instead.
      </p>
      <noscript>
        <p class="notice">Passkeys need JavaScript. ${withPassword} instead.</p>
      </noscript>
      <p class="lede">${withPassword} instead</p>
      <script src="${assetPath('passkeys.js')}" defer></script>
    `,
    below: html`<p>Already have an account? <a href="/sign-in">Sign in</a></p>`,
  });
}
