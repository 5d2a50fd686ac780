import type pg from 'pg';
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { LateRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { erasePerson, findAccountByEmail } from '../account.repository.ts';
import { queueLimitedMail } from '../mail/limited-mail.command.ts';
import { insertWithinLimit } from '../passkeys/passkey.command.ts';
import type { NewPasskey } from '../passkeys/passkey.repository.ts';
import { insertPerson, lockOwnSignUp, type NewPerson } from './sign-up.repository.ts';

/**
 * Signs a person up with a password or a passkey. If the address has an account, mails its owner and
 * still reserves the handle and the passkey: the outcome is the same, so it does not reveal accounts.
 * Other sign-ups that wait for the address change nothing: the mailbox decides between them.
 */
export async function signUp(
  em: EntityManager,
  input: {
    person: NewPerson & { signUpCookie: string };
    /** Is null for a person with a password. */
    passkey: Omit<NewPasskey, 'personId'> | null;
    pool: pg.Pool;
  },
): Promise<{ signedUp: true } | Refusal<'handle_taken' | 'passkey_known'>> {
  return inTransaction(em, async (em) => {
    const { person, passkey, pool } = input;
    const { signUpCookie } = person;
    // The address of the earlier sign-up was wrong: its end frees the handle, and stays.
    const earlier = await lockOwnSignUp(em, person);
    if (earlier) await erasePerson(em, earlier.personId);
    const account = await findAccountByEmail(em, person.email);
    const personId = await insertPerson(em, person, { isHeld: account !== null });
    if (personId === null) return refuse('handle_taken');
    if (passkey !== null && !(await insertWithinLimit(em, { ...passkey, personId }))) {
      // An account without a passkey or password cannot sign in.
      throw new LateRefusal('passkey_known');
    }
    const mail = account
      ? ({ purpose: 'known_address', personId: account.personId, address: account.email } as const)
      : ({ purpose: 'verify_email', personId, address: person.email } as const);
    await queueLimitedMail(em, { ...mail, signUpCookie, pool });
    return { signedUp: true };
  });
}
