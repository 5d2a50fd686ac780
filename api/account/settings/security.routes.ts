import { findAccount } from '../../../domain/identity/account.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { queueLimitedMail } from '../../../domain/identity/mail/limited-mail.command.ts';
import { listPasskeys } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { endOneSession, signOutEverywhere } from '../../../domain/identity/session.command.ts';
import { listSessions } from '../../../domain/identity/session.repository.ts';
import { page, redirect } from '../../http/response.ts';
import type { HttpError } from '../../http/errors.ts';
import { CLEAR_SITE_DATA, PASSKEY_POLICY } from '../../http/security-headers.ts';
import { defineRoute, type RouteContext, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { withNotice } from '../../html/notices.ts';
import { NO_SESSION_COOKIE } from '../../http/cookies.ts';
import { uuid, NO_FIELDS, formBody } from '../../http/fields.ts';
import { tooMany } from '../../http/rate-limit.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { SECURITY, securityPage, type SecurityDraft, type SecurityProps } from './security.page.ts';

const showSecurity = defineRoute({
  ...SESSION_PAGE,
  path: SECURITY,
  summary: 'Show the security settings',
  input: {},
  contentSecurityPolicy: PASSKEY_POLICY,
  async handler(context) {
    const props = await readSecurity(context, context.currentUser);
    return page(context, securityPage(props));
  },
});

/** All that the page shows. */
async function readSecurity(
  context: RouteContext,
  currentUser: CurrentUser,
): Promise<SecurityProps> {
  const em = context.services.database.em();
  const { personId, email, isEmailVerified } = currentUser;
  return {
    token: sessionFormToken(context),
    email,
    isEmailVerified,
    isOperator: currentUser.isOperator,
    hasPassword: (await findAccount(em, personId))?.passwordHash !== null,
    sessions: await listSessions(em, { personId, token: context.cookies.session ?? '' }),
    passkeys: await listPasskeys(em, personId),
  };
}

/** Shows the page again with the validation messages. */
export async function refuseSettings(
  context: RouteContext,
  currentUser: CurrentUser,
  draft: SecurityDraft,
) {
  const props = await readSecurity(context, currentUser);
  return page({ ...context, currentUser }, securityPage({ ...props, draft }), { status: 422 });
}

const sendVerification = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/verification`,
  summary: 'Send the confirmation link again',
  proof: 'none',
  input: { body: NO_FIELDS },
  async handler({ services, currentUser }) {
    if (currentUser.isEmailVerified) return redirect(SECURITY);
    await queueVerification(services, currentUser);
    return redirect(withNotice(SECURITY, 'verification_sent'));
  },
});

/** Throws when the person was sent too many emails. */
export async function queueVerification(
  { database }: Pick<Services, 'database'>,
  { personId, email: address }: CurrentUser,
): Promise<void> {
  const mail = { purpose: 'verify_email', personId, address, signUpCookie: null } as const;
  const isQueued = await queueLimitedMail(database.em(), { ...mail, pool: database.pool });
  if (!isQueued) throw tooManyMails();
}

export function tooManyMails(): HttpError {
  return tooMany(3_600, 'We sent you too many emails. Try again in an hour.');
}

const endSession = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/sessions/end`,
  summary: 'End a session',
  proof: 'none',
  input: { body: formBody({ session_id: uuid() }) },
  async handler({ services, body, currentUser }) {
    const { personId } = currentUser;
    await endOneSession(services.database.em(), { personId, sessionId: body.session_id });
    return redirect(withNotice(SECURITY, 'session_ended'));
  },
});

const leaveEverywhere = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/sign-out-everywhere`,
  summary: 'End all sessions',
  proof: 'none',
  input: { body: NO_FIELDS },
  async handler({ services, currentUser }) {
    await signOutEverywhere(services.database.em(), currentUser.personId);
    return redirect(withNotice('/sign-in', 'signed_out_everywhere'), {
      headers: CLEAR_SITE_DATA,
      cookies: [NO_SESSION_COOKIE],
    });
  },
});

export const routes = [showSecurity, sendVerification, endSession, leaveEverywhere];
