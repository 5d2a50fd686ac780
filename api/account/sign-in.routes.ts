import { LONGEST_PASSWORD } from '../../domain/identity/new-password.ts';
import { LONGEST_RETURN_TO } from '../../domain/identity/after-sign-in.query.ts';
import { findAccountByEmail } from '../../domain/identity/account.repository.ts';
import { signOut } from '../../domain/identity/session.command.ts';
import { validateEmail } from '../../domain/identity/person-fields.ts';
import { page, redirect } from '../http/response.ts';
import { CLEAR_SITE_DATA, SIGN_IN_POLICY } from '../http/security-headers.ts';
import { defineRoute, OPEN_PAGE, SESSION_FORM } from '../http/route.ts';
import { AUTHORIZE_REQUEST, findDestination } from './destination.ts';
import { isSignInRight } from './password-throttle.ts';
import { NO_PRE_SESSION_COOKIE, NO_SESSION_COOKIE } from '../http/cookies.ts';
import { given, matching, text, formBody } from '../http/fields.ts';
import { readEntered } from './mail-links/entered-address.ts';
import { findPendingTarget, signInWith } from './start-session.ts';
import { openForm } from '../http/csrf.ts';
import { signInPage } from './sign-in.page.ts';

const showSignIn = defineRoute({
  ...OPEN_PAGE,
  path: '/sign-in',
  summary: 'Show the sign-in form',
  input: {},
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    if (context.currentUser) return redirect((await findPendingTarget(context)) ?? '/');
    const { token, cookies } = openForm(context);
    const destination = await findDestination(context);
    const { signer } = context.services;
    const email = readEntered(signer, context.cookies.entered)?.address ?? '';
    return page(context, signInPage({ formToken: token, destination, email }), { cookies });
  },
});

/**
 * An account with an unconfirmed address gets the refusal and the count of an unknown address.
 * Otherwise a sign-in after a sign-up would reveal whether the address has an account.
 */
const signIn = defineRoute({
  method: 'POST',
  path: '/sign-in',
  summary: 'Sign in with email and password',
  credential: 'public',
  limit: 'sign_in',
  input: { body: formBody({ email: text(254), password: given(LONGEST_PASSWORD) }) },
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const em = context.services.database.em();
    const { value: email, problem } = validateEmail(context.body.email);
    // Text that is not an email address matches no account, whatever the database's collation
    // says.
    const account = problem === null ? await findAccountByEmail(em, email) : null;
    const { password } = context.body;
    const isRight = await isSignInRight(context, { account, email, password });
    const passwordHash = account?.passwordHash ?? null;
    const signedIn =
      account !== null && passwordHash !== null && isRight
        ? await signInWith(context, { account, credential: { passwordHash } })
        : null;
    if (signedIn === null) {
      const { token, cookies } = openForm(context);
      const destination = await findDestination(context);
      const refused = { refusedEmail: context.body.email, destination };
      const view = signInPage({ formToken: token, ...refused });
      return page(context, view, { status: 422, cookies });
    }
    const target = (await findPendingTarget(context)) ?? '/';
    return redirect(target, { cookies: signedIn });
  },
});

/** An app's request that a person asks again as somebody else: signed out, it leads to sign-in. */
const leaveField = matching(AUTHORIZE_REQUEST, LONGEST_RETURN_TO).optional();

const leave = defineRoute({
  ...SESSION_FORM,
  path: '/sign-out',
  summary: 'Sign out',
  proof: 'none',
  limit: null,
  input: { body: formBody({ return_to: leaveField }) },
  async handler({ services, cookies, body }) {
    if (cookies.session) await signOut(services.database.em(), cookies.session);
    return redirect(body.return_to ?? '/', {
      headers: CLEAR_SITE_DATA,
      cookies: [NO_SESSION_COOKIE, NO_PRE_SESSION_COOKIE],
    });
  },
});

export const routes = [showSignIn, signIn, leave];
