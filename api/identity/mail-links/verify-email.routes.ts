import { z } from 'zod';
import { changeEmail } from '../../../domain/identity/account.store.ts';
import {
  confirmAddress,
  keepCredentials,
  readConfirmation,
} from '../../../domain/identity/mail/confirm-address.store.ts';
import type { Visitor } from '../../../domain/identity/identity.store.ts';
import { makeMailToken } from '../../../domain/identity/mail/mail-link.ts';
import {
  consumeMailLink,
  insertMail,
  queueMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail.store.ts';
import { lockForSession } from '../../../domain/identity/session.store.ts';
import { isDuplicate, type EntityManager } from '../../../domain/platform/database.ts';
import { page, redirect } from '../../answer.ts';
import { defineRoute, type AnyCall } from '../../route.ts';
import { withNotice } from '../../views/notices.ts';
import { beginSession, findPendingTarget, openForm } from '../sessions.ts';
import { findLink, linkQuery, linkToken } from './link-query.ts';
import { checkMailPage, confirmAddressPage, deadLinkPage } from './mail-link.page.ts';

const PURPOSES = ['verify_email', 'change_email'] as const;

type ConfirmCall = AnyCall & { visitor: Visitor | null };

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
    const account = await readConfirmation(call.services.database.em(), {
      ...link,
      browser: call.cookies,
    });
    const isOtherBrowser = account !== null && !account.isVerified && !account.isOwnBrowser;
    const view = confirmAddressPage({
      link,
      formToken: token,
      purpose: link.purpose,
      isOtherBrowser,
    });
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
    const { services, body } = call;
    const link = await findLink(services, { token: body.token, purposes: PURPOSES });
    const confirmed = link && (await confirm(call, link));
    if (!confirmed) return page(call, deadLinkPage(), { status: 404 });
    if ('resetId' in confirmed) {
      const token = makeMailToken(services.signer, confirmed.resetId);
      return redirect(withNotice(`/reset-password?token=${token}`, 'email_verified'));
    }
    const { notice, cookie } = confirmed;
    if (cookie === null) return redirect(withNotice('/sign-in', notice));
    const target = await findPendingTarget(call);
    return redirect(target ?? withNotice('/settings/security', notice), { cookies: [cookie] });
  },
});

type Found = { id: string; personId: string };

/** Null when the link was used meanwhile, or the address is not theirs to have any more. */
async function confirm(call: ConfirmCall, link: Found) {
  try {
    return await call.services.database.transaction((em) => confirmLink(em, call, link));
  } catch (fault) {
    if (isDuplicate(fault)) return null;
    throw fault;
  }
}

/** Where the browser is signed in it stays so, under a new id; another one begins with a new password. */
async function confirmLink(em: EntityManager, call: ConfirmCall, { id, personId }: Found) {
  const { cookies, visitor } = call;
  const isLive = await lockForSession(em, { personId, token: cookies.session });
  const link = await consumeMailLink(em, { id, purposes: PURPOSES });
  if (!link) return null;
  const isSignedIn = isLive && visitor?.personId === personId;
  const { address } = link;
  if (link.purpose === 'verify_email') {
    const outcome = await confirmAddress(em, { personId, address, browser: cookies });
    if (outcome === null) return null;
    if (outcome === 'emptied') {
      return { resetId: await insertMail(em, { purpose: 'reset_password', personId, address }) };
    }
  } else if (!(await moveToAddress(em, link))) return null;
  const cookie = isSignedIn ? await beginSession(call, { em, personId }) : null;
  const isNew = link.purpose === 'change_email';
  return { cookie, notice: isNew ? ('email_changed' as const) : ('email_verified' as const) };
}

/** What was sent to the old address opens nothing any more; its owner is told. */
async function moveToAddress(em: EntityManager, link: { personId: string; address: string }) {
  const changed = await changeEmail(em, link);
  if (!changed) return false;
  const { personId } = link;
  await keepCredentials(em, personId);
  for (const purpose of ['reset_password', 'verify_email', 'change_email'] as const) {
    await revokeMailLinks(em, { personId, purpose });
  }
  await queueMail(em, { purpose: 'email_changed', personId, address: changed.before });
  return true;
}
