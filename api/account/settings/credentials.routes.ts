import { z } from 'zod';
import {
  changePasswordHash,
  findAccountByEmail,
} from '../../../domain/identity/account.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import {
  endAddressChanges,
  queueLimitedMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail-link.repository.ts';
import { queueMail } from '../../../domain/identity/mail/mail.repository.ts';
import { LONGEST_PASSWORD, validatePassword } from '../../../domain/identity/new-password.ts';
import { hashPassword } from '../../../domain/identity/password.ts';
import { validateEmail } from '../../../domain/identity/person-fields.ts';
import { endAllSessions } from '../../../domain/identity/session.repository.ts';
import { redirect } from '../../http/response.ts';
import { PASSKEY_POLICY } from '../../http/security-headers.ts';
import { defineRoute } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { given, text } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { rememberDevice } from '../known-device.ts';
import { beginSession, requireLiveSession } from '../sessions.ts';
import { validateReauthentication } from './re-authentication.ts';
import { SECURITY, type SecurityProblems } from './security.page.ts';
import { refuseSettings, tooManyMails } from './security.routes.ts';
import { FORM_ERRORS } from '../../http/errors.ts';

const shared = {
  method: 'POST',
  credential: 'session',
  limit: 'settings',
  statuses: [303, 422],
  errors: FORM_ERRORS,
  contentSecurityPolicy: PASSKEY_POLICY,
} as const;

const changePassword = defineRoute({
  ...shared,
  path: `${SECURITY}/password`,
  summary: 'Change the password',
  proof: 'none',
  input: {
    body: {
      kind: 'form',
      shape: z.object({
        old_password: given(LONGEST_PASSWORD).default(''),
        new_password: given(LONGEST_PASSWORD),
      }),
    },
  },
  async handler(context) {
    const { services, body, currentUser } = context;
    const { personId, email: address } = currentUser;
    const newPassword = explain(validatePassword(body.new_password, aboutOf(currentUser)));
    if (newPassword) return refuseSettings(context, currentUser, { problems: { newPassword } });
    const oldPassword = await validateReauthentication(context, currentUser, body.old_password);
    if (oldPassword) return refuseSettings(context, currentUser, { problems: { oldPassword } });
    const passwordHash = await hashPassword(body.new_password, personId);
    const cookie = await services.database.transaction(async (em) => {
      await requireLiveSession(context, { em, personId });
      await changePasswordHash(em, { personId, passwordHash });
      await endAllSessions(em, personId);
      await revokeMailLinks(em, { personId, purpose: 'reset_password' });
      await endAddressChanges(em, personId);
      await queueMail(em, { purpose: 'password_changed', personId, address });
      return beginSession(context, { em, personId, authenticatedBy: currentUser.authenticatedBy });
    });
    const cookies = [cookie, rememberDevice(context, { personId, passwordHash })];
    return redirect(withNotice(SECURITY, 'password_changed'), { cookies });
  },
});

/** The address changes once the new one is confirmed; the present one gets a mail at once. */
const askForEmail = defineRoute({
  ...shared,
  path: `${SECURITY}/email`,
  summary: 'Request an email change',
  proof: 'none',
  input: {
    body: {
      kind: 'form',
      shape: z.object({ email: text(254), password: given(LONGEST_PASSWORD).default('') }),
    },
  },
  async handler(context) {
    const { services, body, currentUser } = context;
    const { personId } = currentUser;
    const { value: address, problem } = validateEmail(body.email);
    const isSame = address.toLowerCase() === currentUser.email.toLowerCase();
    const emailAddress = explain(problem ?? (isSame ? 'same' : null));
    const typed = { typedEmail: address };
    const refuse = (problems: SecurityProblems) =>
      refuseSettings(context, currentUser, { ...typed, problems });
    if (emailAddress) return refuse({ emailAddress });
    const emailPassword = await validateReauthentication(context, currentUser, body.password);
    if (emailPassword) return refuse({ emailPassword });
    const { database } = services;
    await database.transaction(async (em) => {
      const work = { em, pool: database.pool };
      await requireLiveSession(context, { em, personId });
      await endAddressChanges(em, personId);
      const notice = {
        purpose: 'email_change_asked',
        personId,
        address: currentUser.email,
      } as const;
      if (!(await queueLimitedMail(work, notice))) throw tooManyMails();
      // If another account has the address, its owner gets a mail. The page stays the same, so it
      // does not reveal the account.
      const owner = await findAccountByEmail(em, address);
      const mail = owner
        ? ({ purpose: 'known_address', personId: owner.personId, address: owner.email } as const)
        : ({ purpose: 'change_email', personId, address } as const);
      await queueLimitedMail(work, { ...mail, senderId: personId });
    });
    return redirect(withNotice(SECURITY, 'email_asked'));
  },
});

function aboutOf({ handle, displayName, email }: CurrentUser): string[] {
  return [handle, displayName, email, email.split('@')[0] ?? ''];
}

export const routes = [askForEmail, changePassword];
