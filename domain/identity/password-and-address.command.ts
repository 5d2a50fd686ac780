// Changes of the password and of the address. Each ends the changes of address that are pending.
import type pg from 'pg';
import {
  inTransaction,
  isDuplicate,
  type EntityManager,
} from '../../platform/database/database.ts';
import { endAuthorizations } from '../oauth/connected-apps.command.ts';
import { LateRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { changePasswordHash, findAccountByEmail, lockPerson } from './account.repository.ts';
import { confirmAddress } from './mail/confirm-address.command.ts';
import { queueLimitedMail } from './mail/limited-mail.command.ts';
import {
  consumeMailLink,
  endAddressChanges,
  isStillAt,
  revokeMailLinks,
} from './mail/mail-link.repository.ts';
import { queueMail } from './mail/mail.repository.ts';
import { removePasskeys } from './passkeys/passkey.repository.ts';
import { beginSession, type Browser } from './session.command.ts';
import type { AuthenticatedBy } from './session.entity.ts';
import { endAllSessions, lockForSession } from './session.repository.ts';
import { lockSignUps } from './sign-up/sign-up.repository.ts';

/** Changes the password, ends all sessions, and begins one for the browser of the change. */
export async function changePassword(
  em: EntityManager,
  input: {
    personId: string;
    /** The address of the account. */
    address: string;
    passwordHash: string;
    authenticatedBy: AuthenticatedBy;
    browser: Browser;
  },
): Promise<{ token: string } | Refusal<'session_ended'>> {
  return inTransaction(em, async (em) => {
    const { personId, address, browser } = input;
    const isLive = await lockForSession(em, { personId, token: browser.session });
    if (!isLive) return refuse('session_ended');
    await changePasswordHash(em, input);
    await endAllSessions(em, personId);
    await revokeMailLinks(em, { personId, purpose: 'reset_password' });
    await endAddressChanges(em, personId);
    await queueMail(em, { purpose: 'password_changed', personId, address });
    return { token: await beginSession(em, input) };
  });
}

/** The credentials that the owner keeps. The reset removes all others. */
export type KeptCredentials = { passkeys: boolean; apps: boolean };

/** The reset removes every credential that was added before the address was confirmed. */
const NO_BROWSER = { session: null, signUp: null };

/**
 * Replaces the password by a link: the owner of the mailbox gets the account. Refused when another
 * request has used the link, or another account has the address.
 */
export async function resetPassword(
  em: EntityManager,
  input: {
    link: { id: string; personId: string; address: string };
    passwordHash: string;
    keeps: KeptCredentials;
  },
): Promise<{ reset: true } | Refusal<'link_over'>> {
  const { link, passwordHash, keeps } = input;
  const { id, personId } = link;
  const reset = inTransaction(em, async (em) => {
    // Lock order: consents, then the person, as in the consent route. Consents given in between are
    // revoked below.
    if (!keeps.apps) await endAuthorizations(em, personId);
    await lockSignUps(em, link);
    const consumed = await consumeMailLink(em, { id, purposes: ['reset_password'] });
    if (!consumed) throw new LateRefusal('link_over');
    const { address } = consumed;
    const confirmed = await confirmAddress(em, { personId, address, browser: NO_BROWSER });
    if (confirmed === null) throw new LateRefusal('link_over');
    await removePasskeys(em, { personId, onlyUnproven: keeps.passkeys });
    await changePasswordHash(em, { personId, passwordHash });
    await endAllSessions(em, personId);
    if (!keeps.apps) await endAuthorizations(em, personId);
    await revokeMailLinks(em, { personId, purpose: 'reset_password' });
    await endAddressChanges(em, personId);
    await queueMail(em, { purpose: 'password_changed', personId, address });
    return { reset: true } as const;
  });
  return reset.catch((error: unknown) => {
    if (isDuplicate(error)) return refuse('link_over');
    throw error;
  });
}

/**
 * Mails a link to the new address, which the account has once the link is followed; the present
 * address gets a mail at once.
 */
export async function requestEmailChange(
  em: EntityManager,
  input: {
    personId: string;
    token: string | null;
    /** The address of the account. */
    before: string;
    address: string;
    pool: pg.Pool;
  },
): Promise<{ requested: true } | Refusal<'session_ended' | 'too_many_mails'>> {
  return inTransaction(em, async (em) => {
    const { personId, before, address, pool } = input;
    if (!(await lockForSession(em, input))) return refuse('session_ended');
    await endAddressChanges(em, personId);
    const shared = { signUpCookie: null, pool };
    const notice = { purpose: 'email_change_asked', personId, address: before } as const;
    const isNotified = await queueLimitedMail(em, { ...shared, ...notice });
    if (!isNotified) throw new LateRefusal('too_many_mails');
    // If another account has the address, its owner gets a mail. The refusals are the same, so they
    // do not reveal the account.
    const owner = await findAccountByEmail(em, address);
    const mail = owner
      ? ({ purpose: 'known_address', personId: owner.personId, address: owner.email } as const)
      : ({ purpose: 'change_email', personId, address } as const);
    await queueLimitedMail(em, { ...shared, ...mail, senderId: personId });
    return { requested: true };
  });
}

/** Stops a change of address by the link that its old address got. */
export async function stopEmailChange(
  em: EntityManager,
  link: { id: string; personId: string; address: string },
): Promise<{ stopped: true } | Refusal<'changed_already'>> {
  return inTransaction(em, async (em) => {
    const { id, personId } = link;
    await lockPerson(em, personId);
    if (!(await isStillAt(em, link))) return refuse('changed_already');
    await endAddressChanges(em, personId);
    await consumeMailLink(em, { id, purposes: ['email_change_asked'] });
    return { stopped: true };
  });
}
