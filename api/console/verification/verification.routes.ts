import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  findBuilderState,
  requestVerification,
} from '../../../domain/identity/operators/builder.repository.ts';
import { page, redirect } from '../../response.ts';
import { requireVerifiedEmail, sessionFormToken } from '../../account/sessions.ts';
import { defineRoute } from '../../route.ts';
import { VERIFICATION, withNotice } from '../../html/notices.ts';
import { unreadOf } from '../notifications/unread.ts';
import { actorOf } from '../managed-product.ts';
import { verificationPage } from './verification.page.ts';
import { FORM_ERRORS } from '../../errors.ts';

export const showVerification = defineRoute({
  method: 'GET',
  path: VERIFICATION,
  summary: 'Show the verification status',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  async handler(context) {
    const { services, currentUser } = context;
    const builder = await findBuilderState(services.database.em(), currentUser.personId);
    const formToken = sessionFormToken(context);
    const unread = await unreadOf(context);
    return page(context, verificationPage({ builder, formToken, unread }));
  },
});

/** Asking twice is asking once. */
export const askForVerification = defineRoute({
  method: 'POST',
  path: VERIFICATION,
  summary: 'Request verification',
  proof: 'none',
  credential: 'session',
  limit: 'settings',
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: FORM_ERRORS,
  async handler(context) {
    const { services, currentUser } = context;
    requireVerifiedEmail(
      currentUser,
      'Confirm your email address before you request verification.',
    );
    const { personId } = currentUser;
    const isAsked = await services.database.transaction(async (em) => {
      if (!(await requestVerification(em, personId))) return false;
      await recordAudit(em, {
        by: actorOf(context),
        action: 'builder.requested',
        subject: personId,
      });
      return true;
    });
    return redirect(isAsked ? withNotice(VERIFICATION, 'verification_asked') : VERIFICATION);
  },
});
