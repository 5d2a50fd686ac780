// What becomes of an account that anybody may have begun, once the owner of its address is known.
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential } from '../../shared/ids.ts';
import { lockPerson } from '../account.repository.ts';
import { endAddressChanges } from './mail.repository.ts';

/** The cookies of the browser that confirms; null where it has none, or they must not count. */
export type ConfirmingBrowser = { session: string | null; signUp: string | null };

type Account = {
  isVerified: boolean;
  isTheirs: boolean;
  /** The browser signed up, or is signed in to the account. */
  isOwnBrowser: boolean;
};

/** Whether the account belongs to this browser, before anybody confirms anything. */
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
 * Confirms the address under the person's lock. `kept`: all ways in stay, for they are those of the
 * browser that confirms. `emptied`: what somebody else may have made is gone, and a password has to be
 * chosen. Null where the address is not the person's any more.
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

/** The owner of the account vouches for every passkey and the password. */
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
