import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  isEnrolmentOpen,
  listCredentialIds,
} from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { RouteContext, View, SessionContext } from '../../http/route.ts';
import { button } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
import { problemNotice } from '../../html/notices.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { NEEDS_SCRIPT, PASSKEY_REFUSED, passkeyForm } from './confirmation.page.ts';

const RECOVER = 'npm run admin -- operator recover';

/** Replaces an operator's page while the session was authenticated by password alone. */
export async function operatorPasskeyPage(
  context: SessionContext,
  { isRefused = false } = {},
): Promise<View> {
  const em = context.services.database.em();
  const { personId } = context.currentUser;
  const hasPasskey = (await listCredentialIds(em, personId)).length > 0;
  const isOpen = !hasPasskey && (await isEnrolmentOpen(em, personId));
  return oneStepPage({
    title: 'Operators need a passkey',
    lede: 'You signed in with your password. Operator pages need a passkey.',
    content: html`
      ${problemNotice(isRefused ? PASSKEY_REFUSED : null)}
      ${hasPasskey ? confirmForm(context) : isOpen ? ADD : ASK}
    `,
  });
}

function confirmForm(context: RouteContext): HtmlSafeString {
  return html`${passkeyForm({
      action: '/confirm/passkey',
      token: sessionFormToken(context),
      fields: {},
      button: 'Confirm with a passkey',
      note: NEEDS_SCRIPT,
    })}
    <p class="hint">
      Lost your passkeys? The administrator of this server can let you add a new one with
      <code>${RECOVER}</code>.
    </p>`;
}

const ADD = html`<p>You have no passkey yet. Add two, on different devices, and come back.</p>
  ${button({ text: 'Add passkey', href: '/settings/security', kind: 'primary', size: 'large' })}`;

const ASK = html`<p>
  You have no passkey, and you can no longer add one with your password alone. The administrator of
  this server can let you add one with <code>${RECOVER}</code>.
</p>`;
