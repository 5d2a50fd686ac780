import type { EntityManager } from '../../../platform/database/database.ts';
import { lower, lowerOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential } from '../../shared/ids.ts';
import { Passkey } from '../passkeys/passkey.entity.ts';

/** The cookies of the confirming browser; null when there are none, or when they must not count. */
export type ConfirmingBrowser = { session: string | null; signUp: string | null };

/**
 * Reads whose account it is, before anything is confirmed. `isOwnBrowser`: the browser signed up, or
 * is signed in to the account.
 */
export async function readConfirmation(
  em: EntityManager,
  { personId, address, browser }: { personId: string; address: string; browser: ConfirmingBrowser },
) {
  const found = await kysely(em)
    .selectFrom('person')
    .select(({ eb, or, exists, selectFrom, fn, val }) => [
      eb('emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isVerified'),
      eb(lower('person.email'), '=', lowerOf(address)).$castTo<boolean>().as('isTheirs'),
      or([
        fn.coalesce(eb('signUpBrowser', '=', hashCookie(browser.signUp)), val(false)),
        exists(
          selectFrom('session')
            .select('session.id')
            .where('session.tokenHash', '=', hashCookie(browser.session))
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
  await em.nativeUpdate(Passkey, { personId }, { isUnproven: false });
}

/** Confirms the address without the password and the passkeys, which another person may have made. */
export async function removeCredentials(em: EntityManager, personId: string): Promise<void> {
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

export async function endOtherSessions(
  em: EntityManager,
  { personId, session }: { personId: string; session: string | null },
): Promise<void> {
  await kysely(em)
    .deleteFrom('session')
    .where('personId', '=', personId)
    .where('tokenHash', 'is distinct from', hashCookie(session))
    .execute();
}

function hashCookie(cookie: string | null): Buffer | null {
  return cookie === null ? null : hashCredential(cookie);
}
