import { z } from 'zod';
import { changeEmail } from '../../../domain/identity/account.repository.ts';
import {
  confirmAddress,
  keepCredentials,
  readConfirmation,
} from '../../../domain/identity/mail/confirm-address.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { makeMailToken, makeReturnToken } from '../../../domain/identity/mail/mail-link.ts';
import {
  consumeMailLink,
  revokeMailLinks,
  type MailLink,
} from '../../../domain/identity/mail/mail-link.repository.ts';
import { insertMail, queueMail } from '../../../domain/identity/mail/mail.repository.ts';
import { endAllSessions, lockForSession } from '../../../domain/identity/session.repository.ts';
import { recordFirstSignIn } from '../../../domain/identity/sign-in.repository.ts';
import {
  endOtherSignUps,
  findSignUp,
  lockSignUps,
} from '../../../domain/identity/sign-up/sign-up.repository.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { isDuplicate, type EntityManager } from '../../../platform/database/database.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { page, redirect } from '../../http/response.ts';
import { unauthorized } from '../../http/errors.ts';
import { defineRoute, type RouteContext, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { findDestination } from '../destination.ts';
import { sendToSignIn } from '../return-to.ts';
import { rememberOwner } from '../known-device.ts';
import { beginSession, findPendingTarget } from '../sessions.ts';
import { openForm } from '../../http/csrf.ts';
import { confirmedCookie, NO_ENTERED_COOKIE } from './entered-address.ts';
import { findLink, LINK_PAGE, linkToken, refuseDeadLink } from './link-query.ts';
import { confirmAddressPage, otherAccountPage } from './mail-link.page.ts';

const PATH = '/verify-email';
const PURPOSES = ['verify_email', 'change_email'] as const;

type ConfirmCall = RouteContext & { currentUser: CurrentUser | null };

/** Changes nothing: mail scanners follow links. */
const showVerifyEmail = defineRoute({
  ...LINK_PAGE,
  path: PATH,
  summary: 'Ask for confirmation of an email address',
  statuses: [200, 303, 403, 404],
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const link = await findConfirmation(context, context.query.token);
    if (!link) return refuseDeadLink(context);
    if (isForAnother(context, link)) return askOwner(context, link.id);
    const { token, cookies } = openForm(context);
    const account = await readConfirmation(context.services.database.em(), {
      ...link,
      browser: context.cookies,
    });
    const isOtherBrowser = account !== null && !account.isVerified && !account.isOwnBrowser;
    const view = confirmAddressPage({
      link,
      formToken: token,
      purpose: link.purpose,
      isOtherBrowser,
      destination: await findDestination(context),
    });
    return page(context, view, { cookies });
  },
});

const confirmEmail = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Confirm an email address',
  credential: 'optional_session',
  limit: 'mail_request',
  input: { body: { kind: 'form', shape: z.object({ token: linkToken }) } },
  statuses: [303, 403, 404],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { services, body } = context;
    const link = await findConfirmation(context, body.token);
    if (link && isForAnother(context, link)) return askOwner(context, link.id);
    const confirmed = link && (await confirm(context, link));
    if (!confirmed) return refuseDeadLink(context);
    if ('resetId' in confirmed) {
      const token = makeMailToken(services.signer, confirmed.resetId);
      return redirect(withNotice(`/reset-password?token=${token}`, 'email_verified'));
    }
    const { notice, cookie, isSignIn } = confirmed;
    const device = await rememberOwner(context, link.personId);
    if (cookie === null) {
      const cookies = [device, confirmedCookie(services, link.address)];
      return redirect(withNotice('/sign-in', notice), { cookies });
    }
    const target = await findPendingTarget(context);
    const isOwnTarget = target?.startsWith(PATH) ?? true;
    const home = withNotice(isSignIn ? '/' : '/settings/security', notice);
    return redirect(isOwnTarget ? home : target!, {
      cookies: [cookie, device, ...(isSignIn ? [NO_ENTERED_COOKIE] : [])],
    });
  },
});

type Found = Pick<MailLink, 'purpose' | 'personId' | 'address'> & { id: string };

/**
 * Whoever opens the link owns the mailbox. Strangers may have caused the mail: where this browser has
 * signed up with the address itself, its own sign-up is the one to confirm.
 */
async function findConfirmation({ services, cookies }: ConfirmCall, token: unknown) {
  const link = await findLink({ services, cookies }, { token, purposes: PURPOSES });
  if (!link?.isSignUp) return link;
  const { address } = link;
  const asked = { address, signUpCookie: cookies.signUp };
  const signUp = await findSignUp(services.database.em(), asked);
  if (!signUp?.isOwn) return link;
  return { ...link, personId: signUp.personId, handle: signUp.handle };
}

/** Only the account that requested the change may confirm the new address. */
function isForAnother({ currentUser }: ConfirmCall, { purpose, personId }: Found): boolean {
  return purpose === 'change_email' && currentUser?.personId !== personId;
}

/**
 * Redirects an anonymous reader to sign-in and back. Another signed-in person gets a page with the
 * reason.
 */
async function askOwner(context: ConfirmCall, mailId: string): Promise<HttpResponse> {
  if (context.currentUser) return page(context, otherAccountPage(), { status: 403 });
  const cookie = newCredential('gs_');
  const token = makeReturnToken(context.services.signer, { mailId, cookie });
  return sendToSignIn(context, { returnTo: `${PATH}?token=${token}`, clickId: null }, cookie);
}

/** Returns null if the link was used or another account has the address. */
async function confirm(context: ConfirmCall, link: Found) {
  try {
    return await context.services.database.transaction((em) => confirmLink(em, context, link));
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/**
 * A signed-in browser keeps its session under a new id. The browser that signed up is signed in,
 * unless somebody else is. Another browser has to choose a new password.
 */
async function confirmLink(em: EntityManager, context: ConfirmCall, found: Found) {
  const { id, personId, purpose } = found;
  const { cookies, currentUser } = context;
  let isSignIn = false;
  await lockSignUps(em, found);
  const isLive = await lockForSession(em, { personId, token: cookies.session });
  const isSignedIn = isLive && currentUser?.personId === personId;
  if (purpose === 'change_email' && !isSignedIn) throw unauthorized({ wasGiven: false });
  const link = await consumeMailLink(em, { id, purposes: PURPOSES });
  if (!link) return null;
  const { address } = link;
  if (purpose === 'verify_email') {
    const outcome = await confirmAddress(em, { personId, address, browser: cookies });
    if (outcome === null) return null;
    if (outcome === 'emptied') {
      return { resetId: await insertMail(em, { purpose: 'reset_password', personId, address }) };
    }
    isSignIn = outcome === 'kept' && currentUser === null;
  } else if (!(await moveToAddress(em, link))) return null;
  if (isSignIn) await recordFirstSignIn(em, personId);
  const authenticatedBy = currentUser?.authenticatedBy ?? 'password';
  const cookie =
    isSignedIn || isSignIn ? await beginSession(context, { em, personId, authenticatedBy }) : null;
  return {
    cookie,
    isSignIn,
    notice: purpose === 'change_email' ? ('email_changed' as const) : ('email_verified' as const),
  };
}

/** Revokes the links sent to the old address, ends all sessions, and notifies the old address. */
async function moveToAddress(em: EntityManager, link: { personId: string; address: string }) {
  const changed = await changeEmail(em, link);
  if (!changed) return false;
  const { personId } = link;
  await endOtherSignUps(em, link);
  await keepCredentials(em, personId);
  await endAllSessions(em, personId);
  for (const purpose of ['reset_password', 'verify_email', 'change_email'] as const) {
    await revokeMailLinks(em, { personId, purpose });
  }
  await queueMail(em, { purpose: 'email_changed', personId, address: changed.before });
  return true;
}

export const routes = [showVerifyEmail, confirmEmail];
