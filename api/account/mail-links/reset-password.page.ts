import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ConnectedApp } from '../../../domain/oauth/connected-apps.repository.ts';
import type { PasskeyView } from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import type { Field } from '../../html/parts/field.ts';
import { instant } from '../../html/dates.ts';
import { oneStepPage } from '../one-step.ts';
import type { KeptCredentials } from '../../../domain/identity/password-and-address.command.ts';

type Props = {
  link: { token: string; handle: string };
  formToken: string;
  passkeys: PasskeyView[];
  apps: ConnectedApp[];
  /** The choice before the password was refused. */
  keeps?: KeptCredentials;
  problem?: string | null;
};

export function resetPasswordPage(props: Props): View {
  const { link, formToken: token, problem } = props;
  const password: Field = {
    label: 'New password',
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters.',
    problem,
  };
  return oneStepPage({
    title: 'Choose a new password',
    showsSecret: true,
    lede: html`<p class="lede">
      Your account is <strong>${link.handle}</strong>. All its sessions will end.
    </p>`,
    content: form({
      action: '/reset-password',
      token,
      button: 'Change password',
      isMain: true,
      hidden: { token: link.token },
      fields: [password],
      note: html`${passkeyChoice(props)} ${appChoice(props)}`,
    }),
  });
}

function passkeyChoice({ passkeys, keeps }: Props): HtmlSafeString | '' {
  return choice({
    name: 'keep_passkeys',
    legend: 'Passkeys',
    what: 'Passkeys sign in without a password. We remove them unless you keep them.',
    label: 'Keep these passkeys. All of them are mine.',
    isKept: keeps?.passkeys ?? false,
    lines: passkeys.map(
      ({ name, createdAt }) =>
        html`<strong>${name}</strong> <small>Added ${instant(createdAt)}</small>`,
    ),
  });
}

function appChoice({ apps, keeps }: Props): HtmlSafeString | '' {
  return choice({
    name: 'keep_apps',
    legend: 'Connected apps',
    what: 'These apps have access to your account. We disconnect them unless you keep them.',
    label: 'Keep these apps connected.',
    isKept: keeps?.apps ?? false,
    lines: apps.map(
      ({ name, grantedAt }) =>
        html`<strong>${name}</strong> <small>Connected ${instant(grantedAt)}</small>`,
    ),
  });
}

type Choice = {
  name: string;
  legend: string;
  what: string;
  label: string;
  isKept: boolean;
  lines: HtmlSafeString[];
};

function choice({ name, legend, what, label, isKept, lines }: Choice): HtmlSafeString | '' {
  if (lines.length === 0) return '';
  return html`<fieldset>
    <legend>${legend}</legend>
    <p>${what}</p>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>
    <label>
      <input type="checkbox" name="${name}" value="yes" ${isKept ? html`checked` : ''} />
      ${label}
    </label>
  </fieldset>`;
}
