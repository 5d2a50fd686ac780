// Confirms an address: anybody may have begun the account, so its owner decides what stays.
import {
  inTransaction,
  isDuplicate,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { changeEmail } from '../account.repository.ts';
import type { CurrentUser } from '../current-user.repository.ts';
import { beginSession, type Browser } from '../session.command.ts';
import { endAllSessions, lockForSession } from '../session.repository.ts';
import { recordFirstSignIn } from '../sign-in.repository.ts';
import { endOtherSignUps, lockSignUps } from '../sign-up/sign-up.repository.ts';
import {
  endOtherSessions,
  keepCredentials,
  readConfirmation,
  removeCredentials,
  type ConfirmingBrowser,
} from './confirm-address.repository.ts';
import {
  consumeMailLink,
  endAddressChanges,
  revokeMailLinks,
  type MailLink,
} from './mail-link.repository.ts';
import { insertMail, queueMail } from './mail.repository.ts';

/** The links that confirm an address: that of an account, or the new one of a change. */
export const CONFIRMATIONS = ['verify_email', 'change_email'] as const;

export type ConfirmationLink = Pick<MailLink, 'purpose' | 'personId' | 'address'> & { id: string };

type Confirmation = {
  link: ConfirmationLink;
  /** The person who is signed in. */
  currentUser: Pick<CurrentUser, 'personId' | 'authenticatedBy'> | null;
  browser: Browser;
  signUpCookie: string | null;
};

export type ConfirmedAddress =
  /** A password has to be chosen, by this mail's link. */
  | { resetId: string }
  /** The token of the browser's new session, if it has one. */
  | { token: string | null; isSignIn: boolean };

type ConfirmationRefusal = Refusal<'session_ended' | 'link_over'>;

/**
 * Confirms the address of a link. A signed-in browser keeps its session under a new token. The browser
 * that signed up is signed in, unless somebody else is. Another browser has to choose a new password.
 */
export async function confirmByLink(
  em: EntityManager,
  input: Confirmation,
): Promise<ConfirmedAddress | ConfirmationRefusal> {
  try {
    return await inTransaction(em, (em) => confirm(em, input));
  } catch (error) {
    if (isDuplicate(error)) return refuse('link_over'); // another account has the address by now
    throw error;
  }
}

/** A link whose address is no longer the person's, or belongs to another account, stays used up. */
async function confirm(
  em: EntityManager,
  input: Confirmation,
): Promise<ConfirmedAddress | ConfirmationRefusal> {
  const { currentUser, browser, signUpCookie } = input;
  const { id, personId, purpose } = input.link;
  let isSignIn = false;
  await lockSignUps(em, input.link);
  const isLive = await lockForSession(em, { personId, token: browser.session });
  const isSignedIn = isLive && currentUser?.personId === personId;
  if (purpose === 'change_email' && !isSignedIn) return refuse('session_ended');
  const link = await consumeMailLink(em, { id, purposes: CONFIRMATIONS });
  if (!link) return refuse('link_over');
  if (purpose === 'verify_email') {
    const { address } = link;
    const cookies = { session: browser.session, signUp: signUpCookie };
    const outcome = await confirmAddress(em, { personId, address, browser: cookies });
    if (outcome === null) return refuse('link_over');
    if (outcome === 'emptied') {
      return { resetId: await insertMail(em, { purpose: 'reset_password', personId, address }) };
    }
    isSignIn = outcome === 'kept' && currentUser === null;
  } else if (!(await moveToAddress(em, link))) return refuse('link_over');
  if (isSignIn) await recordFirstSignIn(em, personId);
  const authenticatedBy = currentUser?.authenticatedBy ?? 'password';
  const token =
    isSignedIn || isSignIn ? await beginSession(em, { personId, authenticatedBy, browser }) : null;
  return { token, isSignIn };
}

/**
 * Confirms the address within a command that holds the sign-ups that wait for it (`lockSignUps`); those
 * of others end. That another account has the address already is a duplicate, which the index decides.
 * `kept`: all credentials stay, because they belong to the confirming browser. `emptied`: credentials
 * that another person may have made are gone, and a password has to be chosen. `known`: it was
 * confirmed before. Returns null when the address is no longer the person's.
 */
export async function confirmAddress(
  em: EntityManager,
  confirming: { personId: string; address: string; browser: ConfirmingBrowser },
): Promise<'kept' | 'emptied' | 'known' | null> {
  const { personId, browser } = confirming;
  const account = await readConfirmation(em, confirming);
  if (!account?.isTheirs) return null;
  if (account.isVerified) return 'known';
  await endOtherSignUps(em, confirming);
  if (account.isOwnBrowser) {
    await keepCredentials(em, personId);
    await endOtherSessions(em, { personId, session: browser.session });
    return 'kept';
  }
  await removeCredentials(em, personId);
  await endAddressChanges(em, personId);
  return 'emptied';
}

/** Revokes the links sent to the old address, ends all sessions, and notifies the old address. */
async function moveToAddress(em: EntityManager, link: { personId: string; address: string }) {
  const changed = await changeEmail(em, link);
  if (!changed) return false;
  const { personId } = link;
  await endOtherSignUps(em, link);
  await keepCredentials(em, personId);
  await endAllSessions(em, personId);
  for (const purpose of ['reset_password', 'verify_email', 'change_email'] as const) {
    await revokeMailLinks(em, { personId, purpose });
  }
  await queueMail(em, { purpose: 'email_changed', personId, address: changed.before });
  return true;
}
