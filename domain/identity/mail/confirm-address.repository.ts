// Confirms an address: anybody may have begun the account, so its owner decides what stays.
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential } from '../../shared/ids.ts';
import { lockPerson } from '../account.repository.ts';
import { endAddressChanges } from './mail.repository.ts';

/** The cookies of the confirming browser; null when there are none, or when they must not count. */
export type ConfirmingBrowser = { session: string | null; signUp: string | null };

type Account = {
  isVerified: boolean;
  isTheirs: boolean;
  /** The browser signed up, or is signed in to the account. */
  isOwnBrowser: boolean;
};

/** True when the account belongs to this browser, before anything is confirmed. */
export async function readConfirmation(
  em: EntityManager,
  { personId, address, browser }: { personId: string; address: string; browser: ConfirmingBrowser },
): Promise<Account | null> {
  const [found] = await rows<Account>(
    em,
    `select email_verified_at is not null as "isVerified", lower(email) = lower(?) as "isTheirs",
       coalesce(sign_up_browser = ?, false) or exists (select 1 from session s
         where s.token_hash = ? and s.person_id = p.id and s.expires_at > gatehouse_now())
         as "isOwnBrowser"
     from person p where id = ? and deleted_at is null`,
    [address, hashOf(browser.signUp), hashOf(browser.session), personId],
  );
  return found ?? null;
}

/**
 * Confirms the address under the person's lock. `kept`: all credentials stay, because they belong
 * to the confirming browser. `emptied`: credentials that another person may have made are gone, and
 * a password has to be chosen. Null when the address is no longer the person's.
 */
export async function confirmAddress(
  em: EntityManager,
  confirming: { personId: string; address: string; browser: ConfirmingBrowser },
): Promise<'kept' | 'emptied' | null> {
  const { personId, browser } = confirming;
  await lockPerson(em, personId);
  const account = await readConfirmation(em, confirming);
  if (!account?.isTheirs) return null;
  if (account.isVerified) return 'kept';
  if (account.isOwnBrowser) {
    await keepCredentials(em, personId);
    await endOtherSessions(em, { personId, session: browser.session });
    return 'kept';
  }
  await removeCredentials(em, personId);
  await endAddressChanges(em, personId);
  return 'emptied';
}

/** The owner of the account vouches for the password and every passkey. */
export async function keepCredentials(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update person set email_verified_at = coalesce(email_verified_at, gatehouse_now()),
       is_password_unproven = false, sign_up_browser = null
     where id = ?`,
    [personId],
  );
  await rows(em, 'update passkey set is_unproven = false where person_id = ?', [personId]);
}

async function removeCredentials(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update person set email_verified_at = gatehouse_now(), password_hash = null,
       is_password_unproven = false, sign_up_browser = null
     where id = ?`,
    [personId],
  );
  for (const table of ['passkey', 'session']) {
    await rows(em, `delete from ${table} where person_id = ?`, [personId]);
  }
}

async function endOtherSessions(
  em: EntityManager,
  { personId, session }: { personId: string; session: string | null },
): Promise<void> {
  await rows(em, 'delete from session where person_id = ? and token_hash is distinct from ?', [
    personId,
    hashOf(session),
  ]);
}

function hashOf(cookie: string | null): Buffer | null {
  return cookie === null ? null : hashCredential(cookie);
}
