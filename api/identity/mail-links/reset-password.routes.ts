import { z } from 'zod';
import {
  changePasswordHash,
  findAccountByEmail,
  lockPerson,
} from '../../../domain/identity/account.store.ts';
import { confirmAddress } from '../../../domain/identity/mail/confirm-address.store.ts';
import { queueLimitedMail } from '../../../domain/identity/mail/limited-mail.store.ts';
import {
  consumeMailLink,
  endAddressChanges,
  queueMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail.store.ts';
import { removeUnprovenPasskeys } from '../../../domain/identity/passkeys/passkey.store.ts';
import { LONGEST_PASSWORD, judgePassword } from '../../../domain/identity/new-password.ts';
import { hashPassword } from '../../../domain/identity/password.ts';
import { judgeEmail } from '../../../domain/identity/person-fields.ts';
import { endAllSessions } from '../../../domain/identity/session.store.ts';
import { clearThrottle } from '../../../domain/limits/throttle.store.ts';
import type { EntityManager } from '../../../domain/platform/database.ts';
import { page, redirect } from '../../answer.ts';
import { defineRoute } from '../../route.ts';
import { withNotice } from '../../views/notices.ts';
import { accountKey } from '../attempts.ts';
import { noSessionCookie } from '../cookies.ts';
import { explain, given, text } from '../fields.ts';
import { openForm } from '../sessions.ts';
import { findLink, linkQuery, linkToken } from './link-query.ts';
import { deadLinkPage, forgotPasswordPage, resetPasswordPage } from './mail-link.page.ts';

const PURPOSES = ['reset_password'] as const;

/** Nothing that was made before the address was confirmed stays, whichever browser made it. */
const NO_BROWSER = { session: null, signUp: null };

export const showForgotPassword = defineRoute({
  method: 'GET',
  path: '/forgot-password',
  summary: 'Form to ask for a new password',
  credential: 'visitor',
  limit: null,
  input: {},
  statuses: [200],
  errors: ['unavailable'],
  handler(call) {
    const { token, cookies } = openForm(call);
    return page(call, forgotPasswordPage({ formToken: token, problem: null }), { cookies });
  },
});

/** Says and does the same whether or not the address has an account. */
export const forgetPassword = defineRoute({
  method: 'POST',
  path: '/forgot-password',
  summary: 'Ask for a link to choose a new password',
  credential: 'public',
  limit: 'mail_request',
  input: { body: { kind: 'form', shape: z.object({ email: text(254) }) } },
  statuses: [303, 422],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { services, body } = call;
    const { value, problem } = judgeEmail(body.email);
    if (problem) {
      const { token, cookies } = openForm(call);
      const view = forgotPasswordPage({ formToken: token, problem: explain(problem) });
      return page(call, view, { status: 422, cookies });
    }
    await services.database.transaction(async (em) => {
      const account = await findAccountByEmail(em, value);
      const { personId, email: address } = account ?? { personId: null, email: value };
      await queueLimitedMail(em, { purpose: 'reset_password', personId, address });
    });
    return redirect('/check-mail');
  },
});

export const showResetPassword = defineRoute({
  method: 'GET',
  path: '/reset-password',
  summary: 'Form for a new password',
  credential: 'visitor',
  limit: null,
  input: { query: linkQuery },
  statuses: [200, 404],
  errors: ['unavailable'],
  async handler(call) {
    const link = await findLink(call, { token: call.query.token, purposes: PURPOSES });
    if (!link) return page(call, deadLinkPage(), { status: 404 });
    const { token, cookies } = openForm(call);
    const { notice } = call.query;
    const view = resetPasswordPage({ link, formToken: token, problem: null, notice });
    return page(call, view, { cookies });
  },
});

export const resetPassword = defineRoute({
  method: 'POST',
  path: '/reset-password',
  summary: 'Choose a new password',
  credential: 'public',
  limit: 'mail_request',
  input: {
    body: {
      kind: 'form',
      shape: z.object({ token: linkToken, password: given(LONGEST_PASSWORD) }),
    },
  },
  statuses: [303, 404, 422],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { services, body } = call;
    const link = await findLink(call, { token: body.token, purposes: PURPOSES });
    if (!link) return page(call, deadLinkPage(), { status: 404 });
    const about = [link.handle, link.address, link.address.split('@')[0] ?? ''];
    const problem = explain(judgePassword(body.password, about));
    if (problem) {
      const { token, cookies } = openForm(call);
      const view = resetPasswordPage({ link, formToken: token, problem });
      return page(call, view, { status: 422, cookies });
    }
    const passwordHash = await hashPassword(body.password);
    const isDone = await services.database.transaction((em) =>
      replacePassword(em, { ...link, passwordHash }),
    );
    if (!isDone) return page(call, deadLinkPage(), { status: 404 });
    return redirect(withNotice('/sign-in', 'password_reset'), {
      cookies: [noSessionCookie(services.config.baseUrl)],
    });
  },
});

/** The mailbox's owner takes the account over, from whoever had it. */
async function replacePassword(
  em: EntityManager,
  { id, personId, passwordHash }: { id: string; personId: string; passwordHash: string },
): Promise<boolean> {
  await lockPerson(em, personId);
  const link = await consumeMailLink(em, { id, purposes: PURPOSES });
  if (!link) return false;
  const { address } = link;
  if ((await confirmAddress(em, { personId, address, browser: NO_BROWSER })) === null) return false;
  await removeUnprovenPasskeys(em, personId);
  await changePasswordHash(em, { personId, passwordHash });
  await endAllSessions(em, personId);
  await revokeMailLinks(em, { personId, purpose: 'reset_password' });
  await endAddressChanges(em, personId);
  await clearThrottle(em, accountKey(address));
  await queueMail(em, { purpose: 'password_changed', personId, address });
  return true;
}
