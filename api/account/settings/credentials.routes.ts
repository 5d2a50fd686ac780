import {
  changePassword,
  requestEmailChange,
} from '../../../domain/identity/password-and-address.command.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { LONGEST_PASSWORD, validatePassword } from '../../../domain/identity/new-password.ts';
import { hashPassword } from '../../../domain/identity/password.ts';
import { validateEmail } from '../../../domain/identity/person-fields.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { redirect } from '../../http/response.ts';
import { sessionCookie } from '../../http/cookies.ts';
import { PASSKEY_POLICY } from '../../http/security-headers.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { given, text, formBody } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { rememberDevice } from '../known-device.ts';
import { readBrowser } from '../start-session.ts';
import { validateReauthentication } from './re-authentication.ts';
import { SECURITY, type SecurityDraft } from './security.page.ts';
import { refuseSettings, tooManyMails } from './security.routes.ts';
import { unauthorized } from '../../http/errors.ts';

const shared = {
  ...SESSION_FORM,
  contentSecurityPolicy: PASSKEY_POLICY,
} as const;

const savePassword = defineRoute({
  ...shared,
  path: `${SECURITY}/password`,
  summary: 'Change the password',
  proof: 'none',
  input: {
    body: formBody({
      old_password: given(LONGEST_PASSWORD).default(''),
      new_password: given(LONGEST_PASSWORD),
    }),
  },
  async handler(context) {
    const { services, body, currentUser } = context;
    const { personId, email: address } = currentUser;
    const refuse = (problems: SecurityDraft['problems']) =>
      refuseSettings(context, currentUser, { typed: {}, problems });
    const new_password = explain(validatePassword(body.new_password, listOwnWords(currentUser)));
    if (new_password) return refuse({ new_password });
    const old_password = await validateReauthentication(context, currentUser, body.old_password);
    if (old_password) return refuse({ old_password });
    const passwordHash = await hashPassword(body.new_password, personId);
    const changed = await changePassword(services.database.em(), {
      personId,
      address,
      passwordHash,
      authenticatedBy: currentUser.authenticatedBy,
      browser: readBrowser(context),
    });
    if (isRefusal(changed)) throw unauthorized({ wasGiven: false });
    const device = rememberDevice(context, { personId, passwordHash });
    const cookies = [sessionCookie(changed.token), device];
    return redirect(withNotice(SECURITY, 'password_changed'), { cookies });
  },
});

/** The address changes once the new one is confirmed; the present one gets a mail at once. */
const saveEmail = defineRoute({
  ...shared,
  path: `${SECURITY}/email`,
  summary: 'Request an email change',
  proof: 'none',
  input: { body: formBody({ email: text(254), password: given(LONGEST_PASSWORD).default('') }) },
  async handler(context) {
    const { services, body, currentUser, cookies } = context;
    const { personId } = currentUser;
    const { value: address, problem } = validateEmail(body.email);
    const isSame = address.toLowerCase() === currentUser.email.toLowerCase();
    const email = explain(problem ?? (isSame ? 'same' : null));
    const refuse = (problems: SecurityDraft['problems']) =>
      refuseSettings(context, currentUser, { typed: { email: address }, problems });
    if (email) return refuse({ email });
    const password = await validateReauthentication(context, currentUser, body.password);
    if (password) return refuse({ password });
    const { database } = services;
    const requested = await requestEmailChange(database.em(), {
      personId,
      token: cookies.session,
      before: currentUser.email,
      address,
      pool: database.pool,
    });
    if (isRefusal(requested)) {
      throw requested.refused === 'session_ended'
        ? unauthorized({ wasGiven: false })
        : tooManyMails();
    }
    return redirect(withNotice(SECURITY, 'email_asked'));
  },
});

function listOwnWords({ handle, displayName, email }: CurrentUser): string[] {
  return [handle, displayName, email, email.split('@')[0] ?? ''];
}

export const routes = [saveEmail, savePassword];
