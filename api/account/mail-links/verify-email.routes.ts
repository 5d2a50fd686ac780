import {
  CONFIRMATIONS,
  confirmByLink,
  type ConfirmationLink,
  type ConfirmedAddress,
} from '../../../domain/identity/mail/confirm-address.command.ts';
import { readConfirmation } from '../../../domain/identity/mail/confirm-address.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { makeMailToken, makeReturnToken } from '../../../domain/identity/mail/mail-link.ts';
import { findSignUp } from '../../../domain/identity/sign-up/sign-up.repository.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { sessionCookie } from '../../http/cookies.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { page, redirect } from '../../http/response.ts';
import { unauthorized } from '../../http/errors.ts';
import { defineRoute, type RouteContext } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { findDestination } from '../destination.ts';
import { sendToSignIn } from '../return-to.ts';
import { rememberOwner } from '../known-device.ts';
import { findPendingTarget, readBrowser } from '../start-session.ts';
import { openForm } from '../../http/csrf.ts';
import { confirmedCookie, NO_ENTERED_COOKIE } from './entered-address.ts';
import { findLink, LINK_PAGE, linkToken, refuseDeadLink } from './link-query.ts';
import { confirmAddressPage, otherAccountPage } from './mail-link.page.ts';
import { formBody } from '../../http/fields.ts';

const PATH = '/verify-email';

type ConfirmCall = RouteContext & { currentUser: CurrentUser | null };

/** Changes nothing: mail scanners follow links. */
const showVerifyEmail = defineRoute({
  ...LINK_PAGE,
  path: PATH,
  summary: 'Ask for confirmation of an email address',
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
  input: { body: formBody({ token: linkToken }) },
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { services, body, currentUser, cookies } = context;
    const link = await findConfirmation(context, body.token);
    if (link === null) return refuseDeadLink(context);
    if (isForAnother(context, link)) return askOwner(context, link.id);
    const browser = readBrowser(context);
    const confirmation = { link, currentUser, browser, signUpCookie: cookies.signUp };
    const confirmed = await confirmByLink(services.database.em(), confirmation);
    if (!isRefusal(confirmed)) return welcome(context, link, confirmed);
    if (confirmed.refused === 'session_ended') throw unauthorized({ wasGiven: false });
    return refuseDeadLink(context);
  },
});

async function welcome(
  context: ConfirmCall,
  { personId, address, purpose }: ConfirmationLink,
  confirmed: ConfirmedAddress,
) {
  const { services } = context;
  if ('resetId' in confirmed) {
    const token = makeMailToken(services.signer, confirmed.resetId);
    return redirect(withNotice(`/reset-password?token=${token}`, 'email_verified'));
  }
  const { token, isSignIn } = confirmed;
  const notice = purpose === 'change_email' ? 'email_changed' : 'email_verified';
  const device = await rememberOwner(context, personId);
  if (token === null) {
    const cookies = [device, confirmedCookie(services, address)];
    return redirect(withNotice('/sign-in', notice), { cookies });
  }
  const target = await findPendingTarget(context);
  const isOwnTarget = target?.startsWith(PATH) ?? true;
  const home = withNotice(isSignIn ? '/' : '/settings/security', notice);
  return redirect(isOwnTarget ? home : target!, {
    cookies: [sessionCookie(token), device, ...(isSignIn ? [NO_ENTERED_COOKIE] : [])],
  });
}

/**
 * Whoever opens the link owns the mailbox. Strangers may have caused the mail: where this browser has
 * signed up with the address itself, its own sign-up is the one to confirm.
 */
async function findConfirmation({ services, cookies }: ConfirmCall, token: unknown) {
  const link = await findLink({ services, cookies }, { token, purposes: CONFIRMATIONS });
  if (!link?.isSignUp) return link;
  const { address } = link;
  const request = { address, signUpCookie: cookies.signUp };
  const signUp = await findSignUp(services.database.em(), request);
  if (!signUp?.isOwn) return link;
  return { ...link, personId: signUp.personId, handle: signUp.handle };
}

/** The account that requested the change alone may confirm the new address. */
function isForAnother(
  { currentUser }: ConfirmCall,
  { purpose, personId }: ConfirmationLink,
): boolean {
  return purpose === 'change_email' && currentUser?.personId !== personId;
}

/**
 * Redirects an anonymous reader to sign-in and back. Another signed-in person gets a page with the
 * reason.
 */
async function askOwner(context: ConfirmCall, mailId: string) {
  if (context.currentUser) return page(context, otherAccountPage(), { status: 403 });
  const cookie = newCredential('gs_');
  const token = makeReturnToken(context.services.signer, { mailId, cookie });
  return sendToSignIn(context, { returnTo: `${PATH}?token=${token}`, clickId: null }, cookie);
}

export const routes = [showVerifyEmail, confirmEmail];
