import { z } from 'zod';
import {
  changePasswordHash,
  findAccount,
  findAccountByEmail,
} from '../../../domain/identity/account.store.ts';
import type { Visitor } from '../../../domain/identity/identity.store.ts';
import {
  queueLimitedMail,
  queueMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail.store.ts';
import { judgePassword } from '../../../domain/identity/new-password.ts';
import { hashPassword } from '../../../domain/identity/password.ts';
import { judgeEmail } from '../../../domain/identity/person-fields.ts';
import { endAllSessions } from '../../../domain/identity/session.store.ts';
import { page, redirect } from '../../answer.ts';
import { PASSKEY_POLICY } from '../../middleware/security-headers.ts';
import { defineRoute, type AnyCall } from '../../route.ts';
import { withNotice } from '../../views/notices.ts';
import { isAttemptRight } from '../attempts.ts';
import { explain, given, text } from '../fields.ts';
import { beginSession } from '../sessions.ts';
import { SECURITY, securityPage, type SecurityProps } from './security.page.ts';
import { readSecurity } from './security.routes.ts';

const shared = {
  method: 'POST',
  credential: 'session',
  limit: 'settings',
  statuses: [303, 422],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
  contentSecurityPolicy: PASSKEY_POLICY,
} as const;

export const changePassword = defineRoute({
  ...shared,
  path: `${SECURITY}/password`,
  summary: 'Change my password',
  input: {
    body: { kind: 'form', shape: z.object({ old_password: given, new_password: given }) },
  },
  async handler(call) {
    const { services, body, visitor } = call;
    const { personId, email: address } = visitor;
    const newPassword = explain(judgePassword(body.new_password, aboutOf(visitor)));
    if (newPassword) return refuse(call, visitor, { problems: { newPassword } });
    if (!(await isOwnPassword(call, visitor, body.old_password))) {
      return refuse(call, visitor, { problems: { oldPassword: explain('wrong_password') } });
    }
    const passwordHash = await hashPassword(body.new_password);
    const cookie = await services.database.transaction(async (em) => {
      await changePasswordHash(em, { personId, passwordHash });
      await endAllSessions(em, personId);
      await revokeMailLinks(em, { personId, purpose: 'reset_password' });
      await queueMail(em, { purpose: 'password_changed', personId, address });
      return beginSession(call, { em, personId });
    });
    return redirect(withNotice(SECURITY, 'password_changed'), { cookies: [cookie] });
  },
});

/** Nothing changes until the new address is confirmed. */
export const askForEmail = defineRoute({
  ...shared,
  path: `${SECURITY}/email`,
  summary: 'Ask for another e-mail address',
  input: { body: { kind: 'form', shape: z.object({ email: text, password: given }) } },
  async handler(call) {
    const { services, body, visitor } = call;
    const { personId } = visitor;
    const { value: address, problem } = judgeEmail(body.email);
    const isSame = address.toLowerCase() === visitor.email.toLowerCase();
    const emailAddress = explain(problem ?? (isSame ? 'same' : null));
    const typed = { typedEmail: address };
    if (emailAddress) return refuse(call, visitor, { ...typed, problems: { emailAddress } });
    if (!(await isOwnPassword(call, visitor, body.password))) {
      const emailPassword = explain('wrong_password');
      return refuse(call, visitor, { ...typed, problems: { emailPassword } });
    }
    await services.database.transaction(async (em) => {
      await revokeMailLinks(em, { personId, purpose: 'change_email' });
      // Somebody else's address: they are told, and the page says what it always says.
      const owner = await findAccountByEmail(em, address);
      await queueLimitedMail(
        em,
        owner
          ? { purpose: 'known_address', personId: owner.personId, address: owner.email }
          : { purpose: 'change_email', personId, address },
      );
    });
    return redirect(withNotice(SECURITY, 'email_asked'));
  },
});

/** Whether whoever sits here knows the password; guesses count like those at the sign-in. */
export async function isOwnPassword(
  call: AnyCall,
  { personId, email }: Visitor,
  password: string,
): Promise<boolean> {
  const account = await findAccount(call.services.database.em(), personId);
  const passwordHash = account?.passwordHash ?? null;
  return isAttemptRight(call, { email, passwordHash, password });
}

async function refuse(call: AnyCall, visitor: Visitor, said: Partial<SecurityProps>) {
  const props = await readSecurity(call, visitor);
  return page({ ...call, visitor }, securityPage({ ...props, ...said }), { status: 422 });
}

function aboutOf({ handle, displayName, email }: Visitor): string[] {
  return [handle, displayName, email, email.split('@')[0] ?? ''];
}
