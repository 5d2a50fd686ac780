import { z } from 'zod';
import { changeEmail, verifyEmail } from '../../../domain/identity/account.store.ts';
import {
  consumeMailLink,
  queueMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail.store.ts';
import { isDuplicate, type EntityManager } from '../../../domain/platform/database.ts';
import { page, redirect } from '../../answer.ts';
import { defineRoute, type AnyCall } from '../../route.ts';
import { withNotice } from '../../views/notices.ts';
import { beginSession, findPendingTarget, openForm } from '../sessions.ts';
import { findLink, linkQuery, linkToken } from './link-query.ts';
import { checkMailPage, confirmAddressPage, deadLinkPage } from './mail-link.page.ts';

const PURPOSES = ['verify_email', 'change_email'] as const;

export const showCheckMail = defineRoute({
  method: 'GET',
  path: '/check-mail',
  summary: 'Says that a mail is on its way',
  credential: 'visitor',
  limit: null,
  input: {},
  statuses: [200],
  errors: ['unavailable'],
  handler: (call) => page(call, checkMailPage()),
});

/** Changes nothing: mail scanners follow links. */
export const showVerifyEmail = defineRoute({
  method: 'GET',
  path: '/verify-email',
  summary: 'Asks whether an address is yours',
  credential: 'visitor',
  limit: null,
  input: { query: linkQuery },
  statuses: [200, 404],
  errors: ['unavailable'],
  async handler(call) {
    const link = await findLink(call.services, { token: call.query.token, purposes: PURPOSES });
    if (!link) return page(call, deadLinkPage(), { status: 404 });
    const { token, cookies } = openForm(call);
    const view = confirmAddressPage({ link, formToken: token, purpose: link.purpose });
    return page(call, view, { cookies });
  },
});

export const confirmEmail = defineRoute({
  method: 'POST',
  path: '/verify-email',
  summary: 'Confirm an address',
  credential: 'visitor',
  limit: 'mail_request',
  input: { body: { kind: 'form', shape: z.object({ token: linkToken }) } },
  statuses: [303, 404],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { services, body, visitor } = call;
    const link = await findLink(services, { token: body.token, purposes: PURPOSES });
    const confirmed = link && (await confirm(call, link.id));
    if (!confirmed) return page(call, deadLinkPage(), { status: 404 });
    if (visitor?.personId !== confirmed.personId) {
      return redirect(withNotice('/sign-in', confirmed.notice));
    }
    const em = services.database.em();
    const target = await findPendingTarget(call);
    return redirect(target ?? withNotice('/settings/security', confirmed.notice), {
      cookies: [await beginSession(call, { em, personId: confirmed.personId })],
    });
  },
});

/** Null when the link was used meanwhile, or the address is not theirs to have any more. */
async function confirm({ services }: AnyCall, id: string) {
  try {
    return await services.database.transaction(async (em) => {
      const link = await consumeMailLink(em, { id, purposes: PURPOSES });
      if (!link) return null;
      const { personId } = link;
      if (link.purpose === 'verify_email') {
        return (await verifyEmail(em, link))
          ? { personId, notice: 'email_verified' as const }
          : null;
      }
      return (await moveToAddress(em, link))
        ? { personId, notice: 'email_changed' as const }
        : null;
    });
  } catch (fault) {
    if (isDuplicate(fault)) return null;
    throw fault;
  }
}

/** What was sent to the old address opens nothing any more; its owner is told. */
async function moveToAddress(em: EntityManager, link: { personId: string; address: string }) {
  const changed = await changeEmail(em, link);
  if (!changed) return false;
  const { personId } = link;
  for (const purpose of ['reset_password', 'verify_email', 'change_email'] as const) {
    await revokeMailLinks(em, { personId, purpose });
  }
  await queueMail(em, { purpose: 'email_changed', personId, address: changed.before });
  return true;
}
