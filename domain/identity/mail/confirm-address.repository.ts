// Confirms an address: anybody may have begun the account, so its owner decides what stays.
import type { EntityManager } from '../../../platform/database/database.ts';
import { lower, lowerOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential } from '../../shared/ids.ts';
import { endOtherSignUps } from '../sign-up/sign-up.repository.ts';
import { endAddressChanges } from './mail-link.repository.ts';

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
  const found = await kysely(em)
    .selectFrom('person')
    .select(({ eb, or, exists, selectFrom, fn, val }) => [
      eb('emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isVerified'),
      eb(lower('person.email'), '=', lowerOf(address)).$castTo<boolean>().as('isTheirs'),
      or([
        fn.coalesce(eb('signUpBrowser', '=', hashOf(browser.signUp)), val(false)),
        exists(
          selectFrom('session')
            .select('session.id')
            .where('session.tokenHash', '=', hashOf(browser.session))
            .whereRef('session.personId', '=', 'person.id')
            .where('session.expiresAt', '>', NOW),
        ),
      ])
        .$castTo<boolean>()
        .as('isOwnBrowser'),
    ])
    .where('person.id', '=', personId)
    .where('person.deletedAt', 'is', null)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Confirms the address; the caller holds the sign-ups that wait for it (`lockSignUps`), and those of
 * others end. That another account has the address already is a duplicate, which the index decides. `kept`: all credentials stay, because they belong to the confirming browser. `emptied`:
 * credentials that another person may have made are gone, and a password has to be chosen. `known`:
 * it was confirmed before. Null when the address is no longer the person's.
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

/** The owner of the account vouches for the password and every passkey. */
export async function keepCredentials(em: EntityManager, personId: string): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set(({ fn }) => ({
      emailVerifiedAt: fn.coalesce('emailVerifiedAt', NOW),
      isPasswordUnproven: false,
      signUpBrowser: null,
    }))
    .where('id', '=', personId)
    .execute();
  await kysely(em)
    .updateTable('passkey')
    .set({ isUnproven: false })
    .where('personId', '=', personId)
    .execute();
}

async function removeCredentials(em: EntityManager, personId: string): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set({
      emailVerifiedAt: NOW,
      passwordHash: null,
      isPasswordUnproven: false,
      signUpBrowser: null,
    })
    .where('id', '=', personId)
    .execute();
  for (const table of ['passkey', 'session'] as const) {
    await kysely(em).deleteFrom(table).where('personId', '=', personId).execute();
  }
}

async function endOtherSessions(
  em: EntityManager,
  { personId, session }: { personId: string; session: string | null },
): Promise<void> {
  await kysely(em)
    .deleteFrom('session')
    .where('personId', '=', personId)
    .where('tokenHash', 'is distinct from', hashOf(session))
    .execute();
}

function hashOf(cookie: string | null): Buffer | null {
  return cookie === null ? null : hashCredential(cookie);
}
