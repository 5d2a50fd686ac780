import { assetPath } from '../../html/assets.ts';
import { instant } from '../../html/dates.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PasskeyView } from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { SessionView } from '../../../domain/identity/session.repository.ts';
import type { View } from '../../http/route.ts';
import { withAside } from '../../html/parts/beside.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { fold } from '../../html/parts/fold.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { field } from '../../html/parts/field.ts';
import { form, formFields, smallButton, type Draft } from '../../html/form.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { problemNotice } from '../../html/notices.ts';
import { reauthenticationForm } from './re-authentication.ts';
import { settingsPage } from './settings.page.ts';

export const SECURITY = '/settings/security';

/** `password` proves a change of the email address. */
export type SecurityDraft = Draft<
  'email' | 'password' | 'old_password' | 'new_password' | 'passkey'
>;

export type SecurityProps = {
  token: string;
  email: string;
  isEmailVerified: boolean;
  hasPassword: boolean;
  isOperator: boolean;
  sessions: SessionView[];
  passkeys: PasskeyView[];
  draft?: SecurityDraft;
};

export function securityPage(props: SecurityProps): View {
  const content = html`
    ${withAside(
      html`${waysInSection(props)} ${sessionSection(props)}`,
      html`${addressSection(props)}
      ${card({
        title: 'Account',
        body: html`<p>You lose everything you bought, and you can't sign in again.</p>
          <div class="buttons">
            ${button({ text: 'Delete account', href: '/settings/delete-account', kind: 'warns' })}
          </div>`,
      })}`,
    )}
    <script src="${assetPath('passkeys.js')}" defer></script>
  `;
  return settingsPage({ path: SECURITY, content });
}

function addressSection(props: SecurityProps): HtmlSafeString {
  const { token, email, isEmailVerified, hasPassword, draft } = props;
  const { problems = {} } = draft ?? {};
  const proof = reauthenticationForm({ hasPassword, problem: problems.password });
  return card({
    title: 'Email address',
    actions: isEmailVerified
      ? pill({ word: 'Confirmed', tone: 'ok' })
      : pill({ word: 'Not confirmed', tone: 'warn' }),
    body: html`<p class="id"><strong>${email}</strong></p>
      ${
        isEmailVerified
          ? ''
          : note({
              tone: 'warn',
              sentence: 'Not confirmed yet.',
              more: 'Confirm your email address to buy, list products and use apps.',
              actions: smallButton({
                action: `${SECURITY}/verification`,
                token,
                button: 'Send the link again',
              }),
            })
      }
      ${fold({
        summary: 'Change email address',
        sentence: 'We send a link to the new address. The address changes once you open the link.',
        isOpen: Boolean(problems.email || problems.password),
        content: form({
          action: `${SECURITY}/email`,
          token,
          button: 'Send confirmation link',
          fields: [
            formFields(draft)('email', {
              label: 'New email address',
              type: 'email',
              autocomplete: 'email',
            }),
            ...proof.fields,
          ],
          note: proof.note,
        }),
      })}`,
  });
}

/** What the person signs in with: the password, then each passkey. */
function waysInSection(props: SecurityProps): HtmlSafeString {
  const { token, passkeys, hasPassword } = props;
  const proof = reauthenticationForm({ hasPassword });
  const isLastWayIn = !hasPassword && passkeys.length === 1;
  return card({
    title: 'Sign-in',
    rows: html`<ul class="rows">
      ${passwordRow(props)}
      ${passkeys.map((passkey) => passkeyRow(passkey, { token, isLastWayIn, proof }))}
    </ul>`,
    foot: addPasskey(props, proof),
  });
}

function passwordRow({ token, hasPassword, draft }: SecurityProps): HtmlSafeString {
  const { problems = {} } = draft ?? {};
  const what = hasPassword ? 'Change password' : 'Choose a password';
  const proof = reauthenticationForm({
    hasPassword,
    name: 'old_password',
    label: 'Current password',
    problem: problems.old_password,
  });
  return html`<li>
    <span>
      <strong>Password</strong><br />
      <small
        >${hasPassword ? 'With your email address' : 'You have no password. You sign in with a passkey.'}</small
      >
    </span>
    ${fold({
      summary: what,
      sentence: 'You will be signed out everywhere else.',
      isOpen: Boolean(problems.old_password || problems.new_password),
      content: form({
        action: `${SECURITY}/password`,
        token,
        button: what,
        note: proof.note,
        fields: [
          ...proof.fields,
          formFields(draft)('new_password', {
            label: 'New password',
            type: 'password',
            autocomplete: 'new-password',
            hint: 'At least 12 characters.',
          }),
        ],
      }),
    })}
  </li>`;
}

function addPasskey(
  { passkeys, isOperator, hasPassword, draft, token }: SecurityProps,
  proof: ReturnType<typeof reauthenticationForm>,
): HtmlSafeString {
  const problem = draft?.problems.passkey;
  return html`<div class="add-passkey">
    ${passkeys.length === 0 ? html`<p>${NO_PASSKEYS}</p>` : ''}
    ${isOperator ? secondPasskeyHint(passkeys.length) : ''} ${problemNotice(problem)}
    ${fold({
      summary: 'Add a passkey',
      isOpen: Boolean(problem),
      content: html`<form
          method="post"
          action="${SECURITY}/passkeys"
          data-passkey="create"
          data-options="${SECURITY}/passkeys/options"
          hidden
        >
          ${formToken(token)}
          <input type="hidden" name="response" />
          ${field({ label: 'Passkey name', name: 'name', hint: 'Such as "my laptop".' })}
          ${proof.fields.map(field)} ${proof.note}
          ${button({ text: 'Add passkey', icon: 'fingerprint' })}
          <p class="problem" role="alert" data-passkey-problem hidden>
            No passkey was added: your browser or your device did not finish. Try again.
          </p>
          <p class="problem" role="alert" data-passkey-refused hidden>
            No passkey was added.
            ${hasPassword ? 'Check your password and try again.' : 'Sign in again, then try once more.'}
          </p>
        </form>
        <noscript><p>Adding a passkey needs JavaScript.</p></noscript>`,
    })}
  </div>`;
}

const NO_PASSKEYS = 'No passkeys yet. A passkey lets you sign in without your password.';

/**
 * The hint for operators: after losing the only passkey, an operator is let in again from the command
 * line.
 */
export function secondPasskeyHint(count: number): HtmlSafeString | '' {
  if (count !== 1) return '';
  return html`<p class="notice" data-hint="second-passkey">
    You have one passkey. Add a second one on another device. If you lose your only passkey, you
    lose access to the operator pages. <a href="${SECURITY}">Manage passkeys</a>
  </p>`;
}

function passkeyRow(
  { id, name, createdAt, lastUsedAt }: PasskeyView,
  shown: { token: string; isLastWayIn: boolean; proof: ReturnType<typeof reauthenticationForm> },
) {
  const { token, isLastWayIn, proof } = shown;
  return html`<li>
    <span>
      <strong>${name}</strong><br />
      <small>
        Passkey, added
        ${instant(createdAt)}${lastUsedAt ? html`, last used ${instant(lastUsedAt)}` : ''}
      </small>
    </span>
    ${
      isLastWayIn
        ? html`<small>Your only way to sign in</small>`
        : fold({
            summary: 'Remove',
            about: name,
            sentence: 'You can no longer sign in with this passkey.',
            isDangerous: true,
            content: form({
              action: `${SECURITY}/passkeys/remove`,
              token,
              button: 'Remove passkey',
              isDangerous: true,
              hidden: { passkey_id: id },
              ...proof,
            }),
          })
    }
  </li>`;
}

function sessionSection({ token, sessions }: SecurityProps): HtmlSafeString {
  return card({
    title: 'Sessions',
    actions: smallButton({
      action: `${SECURITY}/sign-out-everywhere`,
      token,
      button: 'Sign out everywhere',
    }),
    rows: html`<ul class="rows">
      ${sessions.map((session) => sessionRow(session, token))}
    </ul>`,
  });
}

function sessionRow({ id, device, createdAt, lastSeenAt, isCurrent }: SessionView, token: string) {
  const end = { action: `${SECURITY}/sessions/end`, token, button: 'End session' };
  return html`<li>
    <span>
      <strong>${device}</strong><br />
      <small>Signed in ${instant(createdAt)}, last seen ${instant(lastSeenAt)}</small>
    </span>
    ${
      isCurrent
        ? pill({ word: 'This browser', tone: 'ok' })
        : smallButton({ ...end, hidden: { session_id: id } })
    }
  </li>`;
}
