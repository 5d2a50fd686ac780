import { z } from 'zod';
import { lockPerson } from '../../../domain/identity/account.repository.ts';
import {
  consumeMailLink,
  endAddressChanges,
  isStillAt,
} from '../../../domain/identity/mail/mail-link.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { openForm } from '../../http/csrf.ts';
import { findLink, LINK_PAGE, linkToken, refuseDeadLink } from './link-query.ts';
import { stopChangePage } from './mail-link.page.ts';

const PATH = '/stop-email-change';
const PURPOSES = ['email_change_asked'] as const;

/** Changes nothing: mail scanners follow links. */
const showStopEmailChange = defineRoute({
  ...LINK_PAGE,
  path: PATH,
  summary: 'Ask whether to stop an email change',
  async handler(context) {
    const link = await findLink(context, { token: context.query.token, purposes: PURPOSES });
    if (!link) return refuseDeadLink(context);
    const { token, cookies } = openForm(context);
    const isWaiting = await isStillAt(context.services.database.em(), link);
    return page(context, stopChangePage({ link, formToken: token, isWaiting }), { cookies });
  },
});

/** The owner of the old mailbox may stop the change without signing in. */
const stopEmailChange = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Stop an email change',
  credential: 'optional_session',
  limit: 'mail_request',
  input: { body: { kind: 'form', shape: z.object({ token: linkToken }) } },
  statuses: [303, 404],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(context) {
    const link = await findLink(context, { token: context.body.token, purposes: PURPOSES });
    if (!link) return refuseDeadLink(context);
    const { id, personId } = link;
    const isStopped = await context.services.database.transaction(async (em) => {
      await lockPerson(em, personId);
      if (!(await isStillAt(em, link))) return false;
      await endAddressChanges(em, personId);
      await consumeMailLink(em, { id, purposes: PURPOSES });
      return true;
    });
    const next = context.currentUser ? '/settings/security' : '/sign-in';
    return redirect(withNotice(next, isStopped ? 'email_change_stopped' : 'email_change_over'));
  },
});

export const routes = [showStopEmailChange, stopEmailChange];
