import { z } from 'zod';
import { LONGEST_PASSWORD } from '../../domain/identity/new-password.ts';
import { findAccountByEmail } from '../../domain/identity/account.repository.ts';
import { signOut } from '../../domain/identity/session.command.ts';
import { validateEmail } from '../../domain/identity/person-fields.ts';
import { page, redirect } from '../http/response.ts';
import { CLEAR_SITE_DATA, SIGN_IN_POLICY } from '../http/security-headers.ts';
import { defineRoute } from '../http/route.ts';
import { findDestination } from './destination.ts';
import { isSignInRight } from './password-throttle.ts';
import { NO_PRE_SESSION_COOKIE, NO_SESSION_COOKIE } from '../http/cookies.ts';
import { given, text } from '../http/fields.ts';
import { readEntered } from './mail-links/entered-address.ts';
import { findPendingTarget, signInWith } from './start-session.ts';
import { openForm } from '../http/csrf.ts';
import { signInPage } from './sign-in.page.ts';

const showSignIn = defineRoute({
  method: 'GET',
  path: '/sign-in',
  summary: 'Show the sign-in form',
  credential: 'optional_session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
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
  input: {
    body: {
      kind: 'form',
      shape: z.object({ email: text(254), password: given(LONGEST_PASSWORD) }),
    },
  },
  statuses: [303, 422],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
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

const leave = defineRoute({
  method: 'POST',
  path: '/sign-out',
  summary: 'Sign out',
  proof: 'none',
  credential: 'session',
  limit: null,
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: ['unauthorized', 'forbidden', 'unavailable'],
  async handler({ services, cookies }) {
    if (cookies.session) await signOut(services.database.em(), cookies.session);
    return redirect('/', {
      headers: CLEAR_SITE_DATA,
      cookies: [NO_SESSION_COOKIE, NO_PRE_SESSION_COOKIE],
    });
  },
});

export const routes = [showSignIn, signIn, leave];
