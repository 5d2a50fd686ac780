// The step of buying in which a signed-in person confirms the email address.
import { page, redirect } from '../../http/response.ts';
import { withNotice } from '../../html/notices.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { findDestination } from '../destination.ts';
import { CONFIRM_EMAIL, findPendingTarget } from '../start-session.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { queueVerification } from '../settings/security.routes.ts';
import { confirmEmailPage } from './confirm-email.page.ts';
import { NO_FIELDS } from '../../http/fields.ts';

const showConfirmEmail = defineRoute({
  ...SESSION_PAGE,
  path: CONFIRM_EMAIL,
  summary: 'Ask for a confirmed email address before buying',
  input: {},
  async handler(context) {
    const { currentUser } = context;
    if (currentUser.isEmailVerified) return redirect((await findPendingTarget(context)) ?? '/');
    const view = confirmEmailPage({
      email: currentUser.email,
      destination: await findDestination(context),
      token: sessionFormToken(context),
    });
    return page(context, view);
  },
});

const sendConfirmation = defineRoute({
  ...SESSION_FORM,
  path: CONFIRM_EMAIL,
  summary: 'Send the confirmation link again while buying',
  proof: 'none',
  input: { body: NO_FIELDS },
  async handler({ services, currentUser }) {
    if (currentUser.isEmailVerified) return redirect(CONFIRM_EMAIL);
    await queueVerification(services, currentUser);
    return redirect(withNotice(CONFIRM_EMAIL, 'verification_sent'));
  },
});

export const routes = [showConfirmEmail, sendConfirmation];
