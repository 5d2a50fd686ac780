import { stopEmailChange } from '../../../domain/identity/password-and-address.command.ts';
import { isStillAt } from '../../../domain/identity/mail/mail-link.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { openForm } from '../../http/csrf.ts';
import { findLink, LINK_PAGE, linkToken, refuseDeadLink } from './link-query.ts';
import { stopChangePage } from './mail-link.page.ts';
import { formBody } from '../../http/fields.ts';

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
const stopChange = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Stop an email change',
  credential: 'optional_session',
  limit: 'mail_request',
  input: { body: formBody({ token: linkToken }) },
  async handler(context) {
    const link = await findLink(context, { token: context.body.token, purposes: PURPOSES });
    if (!link) return refuseDeadLink(context);
    const stopped = await stopEmailChange(context.services.database.em(), link);
    const next = context.currentUser ? '/settings/security' : '/sign-in';
    return redirect(
      withNotice(next, isRefusal(stopped) ? 'email_change_over' : 'email_change_stopped'),
    );
  },
});

export const routes = [showStopEmailChange, stopChange];
