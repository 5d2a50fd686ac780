import { z } from 'zod';
import {
  resetPassword,
  type KeptCredentials,
} from '../../../domain/identity/password-and-address.command.ts';
import { requestPasswordReset } from '../../../domain/identity/mail/limited-mail.command.ts';
import { LONGEST_PASSWORD, validatePassword } from '../../../domain/identity/new-password.ts';
import { listConnectedApps } from '../../../domain/oauth/connected-apps.repository.ts';
import { listPasskeys } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { hashPassword } from '../../../domain/identity/password.ts';
import { validateEmail } from '../../../domain/identity/person-fields.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { now } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute, type RouteContext, OPEN_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { NO_SESSION_COOKIE } from '../../http/cookies.ts';
import { given, text, formBody } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { rememberDevice } from '../known-device.ts';
import { forgetFailures } from '../password-throttle.ts';
import { openForm } from '../../http/csrf.ts';
import { CHECK_MAIL } from './check-mail.page.ts';
import { confirmedCookie, enteredCookie } from './entered-address.ts';
import { findLink, LINK_PAGE, linkToken, refuseDeadLink } from './link-query.ts';
import { forgotPasswordPage } from './mail-link.page.ts';
import { resetPasswordPage } from './reset-password.page.ts';

const PURPOSES = ['reset_password'] as const;

type ResetLink = NonNullable<Awaited<ReturnType<typeof findLink>>>;

const resetForm = z.object({
  token: linkToken,
  password: given(LONGEST_PASSWORD),
  keep_passkeys: z.literal('yes').optional(),
  keep_apps: z.literal('yes').optional(),
});

const showForgotPassword = defineRoute({
  ...OPEN_PAGE,
  path: '/forgot-password',
  summary: 'Show the form for a forgotten password',
  input: {},
  handler(context) {
    const { token, cookies } = openForm(context);
    return page(context, forgotPasswordPage({ formToken: token, problem: null }), { cookies });
  },
});

/** Answers and does the same whether or not the address has an account. */
const forgetPassword = defineRoute({
  method: 'POST',
  path: '/forgot-password',
  summary: 'Request a password reset',
  credential: 'public',
  limit: 'mail_request',
  input: { body: formBody({ email: text(254) }) },
  async handler(context) {
    const { services, body } = context;
    const { value, problem } = validateEmail(body.email);
    if (problem) {
      const { token, cookies } = openForm(context);
      const view = forgotPasswordPage({ formToken: token, problem: explain(problem) });
      return page(context, view, { status: 422, cookies });
    }
    const { database, signer } = services;
    const em = database.em();
    const signUpCookie = context.cookies.signUp;
    await requestPasswordReset(em, { address: value, signUpCookie, pool: database.pool });
    const sentAtMs = (await now(em)).getTime();
    const sent = { address: value, form: 'forgot_password', sentAtMs } as const;
    return redirect(CHECK_MAIL, { cookies: [enteredCookie(signer, sent)] });
  },
});

const showResetPassword = defineRoute({
  ...LINK_PAGE,
  path: '/reset-password',
  summary: 'Show the form for a new password',
  async handler(context) {
    const link = await findLink(context, { token: context.query.token, purposes: PURPOSES });
    if (!link) return refuseDeadLink(context);
    return showReset(context, { link });
  },
});

const choosePassword = defineRoute({
  method: 'POST',
  path: '/reset-password',
  summary: 'Choose a new password',
  credential: 'public',
  limit: 'mail_request',
  input: { body: { kind: 'form', shape: resetForm } },
  async handler(context) {
    const { services, body } = context;
    const link = await findLink(context, { token: body.token, purposes: PURPOSES });
    if (!link) return refuseDeadLink(context);
    const about = [link.handle, link.address, link.address.split('@')[0] ?? ''];
    const problem = explain(validatePassword(body.password, about));
    const keeps = { passkeys: body.keep_passkeys === 'yes', apps: body.keep_apps === 'yes' };
    if (problem) return showReset(context, { link, problem, keeps }, 422);
    const passwordHash = await hashPassword(body.password, link.personId);
    const { database } = services;
    const reset = await resetPassword(database.em(), { link, passwordHash, keeps });
    if (isRefusal(reset)) return refuseDeadLink(context);
    await forgetFailures(database.pool, link.personId);
    return redirect(withNotice('/sign-in', 'password_reset'), {
      cookies: [
        NO_SESSION_COOKIE,
        confirmedCookie(services, link.address),
        rememberDevice(context, { personId: link.personId, passwordHash }),
      ],
    });
  },
});

/** The page also lists the other credentials of the account. */
async function showReset(
  context: RouteContext,
  { link, ...shown }: { link: ResetLink; problem?: string | null; keeps?: KeptCredentials },
  status = 200,
) {
  const em = context.services.database.em();
  const { personId } = link;
  const { token, cookies } = openForm(context);
  const view = resetPasswordPage({
    link,
    formToken: token,
    passkeys: await listPasskeys(em, personId),
    apps: await listConnectedApps(em, personId),
    ...shown,
  });
  return page(context, view, { status, cookies });
}

export const routes = [showForgotPassword, forgetPassword, showResetPassword, choosePassword];
