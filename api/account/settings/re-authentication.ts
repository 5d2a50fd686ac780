// Checks the password before the settings change a credential.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { findAccount } from '../../../domain/identity/account.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import type { RouteContext } from '../../http/route.ts';
import type { Field } from '../../html/parts/field.ts';
import { isProofRight } from '../password-throttle.ts';
import { explain } from '../field-problems.ts';

/**
 * Returns the reason why the re-authentication fails. With a password, the password is compared.
 * Without a password, the session must be ten minutes old at most.
 */
export async function validateReauthentication(
  context: RouteContext,
  { personId, isFresh }: CurrentUser,
  password: string,
): Promise<string | null> {
  const em = context.services.database.em();
  const account = await findAccount(em, personId);
  if (account && account.passwordHash === null) {
    return isFresh ? null : explain('sign_in_again');
  }
  const passwordHash = account?.passwordHash ?? null;
  const isRight = await isProofRight(context, { personId, passwordHash, password });
  return isRight ? null : explain('wrong_password');
}

type ProofForm = {
  hasPassword: boolean;
  name?: string;
  label?: string;
  problem?: string | null | undefined;
};

/** The fields with which a form asks for the proof. */
export function reauthenticationForm({
  hasPassword,
  name = 'password',
  label = 'Your password',
  problem,
}: ProofForm): { fields: Field[]; note: HtmlSafeString | '' } {
  const autocomplete = 'current-password';
  if (hasPassword) {
    return { fields: [{ label, name, type: 'password', autocomplete, problem }], note: '' };
  }
  const note = problem
    ? html`<p role="alert" class="notice">${problem}</p>`
    : html`<p class="muted">
        <small>You have no password. Sign in again, then do this within ten minutes.</small>
      </p>`;
  return { fields: [], note };
}
