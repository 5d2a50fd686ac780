// Sessions begin with a sign-in, get a new token with each proof, and end.
import type pg from 'pg';
import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { findAccount, lockPerson, type Account } from './account.repository.ts';
import { queueLimitedMail } from './mail/limited-mail.command.ts';
import { endAddressChanges } from './mail/mail-link.repository.ts';
import type { AuthenticatedBy } from './session.entity.ts';
import {
  endAllSessions,
  endSession,
  endSessionById,
  lockForSession,
  renewSession,
  startSession,
} from './session.repository.ts';
import {
  holdCredential,
  recordFirstSignIn,
  recordSignInAddress,
  type Credential,
} from './sign-in.repository.ts';

/** The browser of a person who signs in. */
export type Browser = {
  /** The token of the session that the browser has had until now. */
  session: string | null;
  device: string;
  /** An IPv4 address, or an IPv6 network of 64 bits. */
  address: string;
};

/** Starts a session with a new token and ends the browser's previous one. */
export async function beginSession(
  em: EntityManager,
  input: { personId: string; authenticatedBy: AuthenticatedBy; browser: Browser },
): Promise<string> {
  return inTransaction(em, async (em) => {
    const { personId, authenticatedBy, browser } = input;
    const { session, device, address } = browser;
    if (session !== null) await endSession(em, session);
    await recordSignInAddress(em, { personId, address });
    return startSession(em, { personId, device, authenticatedBy });
  });
}

/**
 * Signs a person in whose credential was right when it was checked, and mails the person where the
 * account does not know the device. A refusal keeps the record of a first sign-in.
 */
export async function signIn(
  em: EntityManager,
  input: {
    personId: string;
    credential: Credential;
    browser: Browser;
    isDeviceKnown: boolean;
    pool: pg.Pool;
  },
): Promise<{ token: string; account: Account } | Refusal<'credential_changed'>> {
  return inTransaction(em, async (em) => {
    const { personId, credential, browser, isDeviceKnown, pool } = input;
    // Runs before the share lock on the person: two sign-ins may hold that lock at once.
    const isFirst = await recordFirstSignIn(em, personId);
    if (!(await holdCredential(em, { personId, ...credential }))) {
      return refuse('credential_changed');
    }
    const account = (await findAccount(em, personId))!;
    if (!isDeviceKnown && !isFirst && account.isEmailVerified) {
      const mail = { purpose: 'new_sign_in', personId, address: account.email } as const;
      await queueLimitedMail(em, { ...mail, device: browser.device, signUpCookie: null, pool });
    }
    const authenticatedBy = 'credentialId' in credential ? 'passkey' : 'password';
    const token = await beginSession(em, { personId, authenticatedBy, browser });
    return { token, account };
  });
}

/**
 * Gives a session a new token after a proof by the password, or by the passkey. A change of the
 * credentials at the same moment ends the session, or comes after it.
 */
export async function proveSession(
  em: EntityManager,
  input: { personId: string; token: string; credentialId: string | null },
): Promise<{ token: string } | Refusal<'session_ended' | 'credential_changed'>> {
  return inTransaction(em, async (em) => {
    const { personId, token, credentialId } = input;
    if (credentialId === null) {
      if (!(await lockForSession(em, { personId, token }))) return refuse('session_ended');
    } else if (!(await holdCredential(em, { personId, credentialId }))) {
      return refuse('credential_changed');
    }
    const authenticatedBy = credentialId === null ? 'password' : 'passkey';
    const renewed = await renewSession(em, { token, authenticatedBy });
    return renewed === null ? refuse('session_ended') : { token: renewed };
  });
}

export async function signOut(em: EntityManager, token: string): Promise<void> {
  return inTransaction(em, (em) => endSession(em, token));
}

/** Ends one of a person's sessions, in whatever browser it is. */
export async function endOneSession(
  em: EntityManager,
  session: { personId: string; sessionId: string },
): Promise<void> {
  return inTransaction(em, (em) => endSessionById(em, session));
}

/** Ends all sessions of a person, and the changes of address that one of them may have begun. */
export async function signOutEverywhere(em: EntityManager, personId: string): Promise<void> {
  return inTransaction(em, async (em) => {
    await lockPerson(em, personId);
    await endAllSessions(em, personId);
    await endAddressChanges(em, personId);
  });
}
