import { assetPath } from '../../html/assets.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Fields } from '../../http/validate.ts';
import type { View } from '../../http/route.ts';
import { field } from '../../html/parts/field.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { button as submit } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
import { problemNotice } from '../../html/notices.ts';

/** Sent beside the fields of the form that waits for the proof. */
export const PROOF_PASSWORD = 'proof_password';
export const PROOF_PASSKEY = 'response';

export const PASSKEY_REFUSED = 'This passkey was not accepted. Try again.';

export const NEEDS_SCRIPT = html`<noscript
  ><p class="lede">Using a passkey needs JavaScript.</p></noscript
>`;

type Props = {
  action: string;
  token: string;
  /** The submitted fields of the form. The confirmation sends them again. */
  fields: Fields<string>;
  hasPassword: boolean;
  hasPasskey: boolean;
  problem: string | null;
};

/** The page between a form and its action. */
export function confirmationPage(props: Props): View {
  return oneStepPage({
    title: "Confirm it's you",
    lede: html`<p class="lede">
      This concerns money, a secret, or what someone may do. Nothing has changed yet. Once you
      confirm, we won't ask again for ten minutes.
    </p>`,
    content: html`
      ${problemNotice(props.problem)}
      ${
        props.hasPasskey
          ? passkeyForm({
              ...props,
              button: 'Confirm with a passkey',
              note: props.hasPassword ? '' : NEEDS_SCRIPT,
              isBeforePassword: props.hasPassword,
            })
          : ''
      }
      ${props.hasPassword ? passwordForm(props) : ''}
    `,
  });
}

function passwordForm(props: Props): HtmlSafeString {
  return html`<form method="post" action="${props.action}">
    ${formToken(props.token)} ${hiddenFields(props.fields)}
    ${field({
      label: 'Your password',
      name: PROOF_PASSWORD,
      type: 'password',
      autocomplete: 'current-password',
    })}
    ${submit({ text: 'Confirm', kind: 'primary', size: 'large' })}
  </form>`;
}

type PasskeyForm = Pick<Props, 'action' | 'token' | 'fields'> & {
  button: string;
  note: HtmlSafeString | '';
  /** The password form follows. */
  isBeforePassword?: boolean;
};

/** Shown by its script, where the browser knows passkeys. */
export function passkeyForm(props: PasskeyForm): HtmlSafeString {
  const { action, token, fields, button, note, isBeforePassword = false } = props;
  return html`<form
      method="post"
      action="${action}"
      data-passkey="get"
      data-options="/confirm/passkey/options"
      hidden
    >
      ${formToken(token)} ${hiddenFields(fields)}
      <input type="hidden" name="${PROOF_PASSKEY}" />
      ${submit({ text: button, icon: 'fingerprint', size: 'large' })}
      <p class="problem" role="alert" data-passkey-problem hidden>
        Passkey confirmation was cancelled. Try again.
      </p>
      ${isBeforePassword ? html`<p class="or">or</p>` : ''}
    </form>
    ${note}
    <script src="${assetPath('passkeys.js')}" defer></script>`;
}

function hiddenFields(fields: Fields<string>) {
  return Object.entries(fields).flatMap(([name, given]) =>
    [given].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}" />`),
  );
}
