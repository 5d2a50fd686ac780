import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PasskeyView } from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { SessionView } from '../../../domain/identity/session.repository.ts';
import type { View } from '../../route.ts';
import { emptyState, field, form, smallButton } from '../../html/form.ts';
import { formToken, instant } from '../../html/layout.ts';
import { problemNotice } from '../../html/notices.ts';
import { ownerProof } from './re-authentication.ts';
import { settingsPage } from './settings.page.ts';

export const SECURITY = '/settings/security';

/** By form and field: what could not be taken. */
export type SecurityProblems = Partial<
  Record<
    'emailAddress' | 'emailPassword' | 'oldPassword' | 'newPassword' | 'passkey',
    string | null
  >
>;

export type SecurityProps = {
  token: string;
  email: string;
  isEmailVerified: boolean;
  hasPassword: boolean;
  isOperator: boolean;
  sessions: SessionView[];
  passkeys: PasskeyView[];
  problems?: SecurityProblems;
  typedEmail?: string;
  notice?: unknown;
};

export function securityPage(props: SecurityProps): View {
  const content = html`
    ${addressSection(props)} ${passwordSection(props)} ${passkeySection(props)}
    ${sessionSection(props)}
    <section>
      <h2>Account</h2>
      <p><a href="/settings/delete-account">Delete my account</a></p>
    </section>
    <script src="/assets/passkeys.js" defer></script>
  `;
  return settingsPage({ path: SECURITY, content, notice: props.notice });
}

function addressSection(props: SecurityProps): HtmlSafeString {
  const { token, email, isEmailVerified, hasPassword, problems = {}, typedEmail = '' } = props;
  const proof = ownerProof({ hasPassword, problem: problems.emailPassword });
  return html`<section>
    <h2>E-mail address</h2>
    <p>
      <span class="id">${email}</span>
      ${isEmailVerified ? html`<small class="muted">confirmed</small>` : ''}
    </p>
    ${
      isEmailVerified
        ? ''
        : html`<div class="notice">
            <p>Not confirmed yet. You need that to buy, to list products and to use apps.</p>
            ${smallButton({ action: `${SECURITY}/verification`, token, button: 'Send the link again' })}
          </div>`
    }
    <details ${problems.emailAddress || problems.emailPassword ? html`open` : ''}>
      <summary>Change the address</summary>
      ${form({
        action: `${SECURITY}/email`,
        token,
        button: 'Send a link to the new address',
        fields: [
          {
            label: 'New address',
            name: 'email',
            type: 'email',
            value: typedEmail,
            autocomplete: 'email',
            problem: problems.emailAddress,
          },
          ...proof.fields,
        ],
        note: proof.note,
      })}
    </details>
  </section>`;
}

function passwordSection({ token, hasPassword, problems = {} }: SecurityProps): HtmlSafeString {
  const what = hasPassword ? 'Change the password' : 'Choose a password';
  const proof = ownerProof({
    hasPassword,
    name: 'old_password',
    label: 'Present password',
    problem: problems.oldPassword,
  });
  return html`<section>
    <h2>Password</h2>
    ${hasPassword ? '' : html`<p class="muted">You have none: you sign in with your passkey.</p>`}
    <details ${problems.oldPassword || problems.newPassword ? html`open` : ''}>
      <summary>${what}</summary>
      ${form({
        action: `${SECURITY}/password`,
        token,
        button: what,
        note: proof.note,
        fields: [
          ...proof.fields,
          {
            label: 'New password',
            name: 'new_password',
            type: 'password',
            autocomplete: 'new-password',
            hint: '12 characters or more. All other sessions are ended.',
            problem: problems.newPassword,
          },
        ],
      })}
    </details>
  </section>`;
}

function passkeySection(props: SecurityProps): HtmlSafeString {
  const { token, passkeys, hasPassword, problems = {} } = props;
  const proof = ownerProof({ hasPassword });
  const isLastWayIn = !hasPassword && passkeys.length === 1;
  return html`<section>
    <h2>Passkeys</h2>
    ${
      passkeys.length === 0
        ? emptyState('With a passkey you sign in without your password.')
        : html`<ul class="rows">
            ${passkeys.map((passkey) => passkeyRow(passkey, { token, isLastWayIn, proof }))}
          </ul>`
    }
    ${props.isOperator ? secondPasskeyHint(passkeys.length) : ''} ${problemNotice(problems.passkey)}
    <form
      method="post"
      action="${SECURITY}/passkeys"
      data-passkey="create"
      data-options="${SECURITY}/passkeys/options"
      hidden
    >
      ${formToken(token)}
      <input type="hidden" name="response" />
      ${field({ label: 'Name of the new passkey', name: 'name', hint: 'Like: my laptop' })}
      ${proof.fields.map(field)} ${proof.note}
      <button type="submit" class="outline">Add a passkey</button>
      <p role="alert" data-passkey-problem hidden>
        No passkey was made.
        ${hasPassword ? 'Is the password right? You may try again.' : 'Sign in again and try once more.'}
      </p>
    </form>
    <noscript><p class="muted">Adding a passkey needs JavaScript.</p></noscript>
  </section>`;
}

/** For operators: who loses the only one has to be let in again from the command line. */
export function secondPasskeyHint(count: number): HtmlSafeString | '' {
  if (count !== 1) return '';
  return html`<p class="notice" data-hint="second-passkey">
    You have one passkey. Add a second one, on another device: without a passkey you cannot work as
    an operator. <a href="${SECURITY}">Your passkeys</a>
  </p>`;
}

function passkeyRow(
  { id, name, createdAt, lastUsedAt }: PasskeyView,
  shown: { token: string; isLastWayIn: boolean; proof: ReturnType<typeof ownerProof> },
) {
  const { token, isLastWayIn, proof } = shown;
  return html`<li>
    <span>
      <strong>${name}</strong><br />
      <small class="muted">
        added ${instant(createdAt)}${lastUsedAt ? html`, last used ${instant(lastUsedAt)}` : ''}
      </small>
    </span>
    ${
      isLastWayIn
        ? html`<small class="muted">your only way in</small>`
        : html`<details>
            <summary>Remove</summary>
            ${form({
              action: `${SECURITY}/passkeys/remove`,
              token,
              button: 'Remove the passkey',
              hidden: { passkey_id: id },
              ...proof,
            })}
          </details>`
    }
  </li>`;
}

function sessionSection({ token, sessions }: SecurityProps): HtmlSafeString {
  return html`<section>
    <h2>Where you are signed in</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(session, token))}
    </ul>
    ${smallButton({
      action: `${SECURITY}/sign-out-everywhere`,
      token,
      button: 'Sign out everywhere',
    })}
  </section>`;
}

function sessionRow({ id, device, createdAt, lastSeenAt, isCurrent }: SessionView, token: string) {
  const end = { action: `${SECURITY}/sessions/end`, token, button: 'End' };
  return html`<li>
    <span>
      <strong>${device}</strong>${isCurrent ? ' (this one)' : ''}<br />
      <small class="muted">since ${instant(createdAt)}, last seen ${instant(lastSeenAt)}</small>
    </span>
    ${isCurrent ? '' : smallButton({ ...end, hidden: { session_id: id } })}
  </li>`;
}
