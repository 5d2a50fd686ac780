import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, newUuid } from '../../shared/ids.ts';

export type NewPerson = {
  /** Set when a passkey names the id already. */
  id?: string;
  handle: string;
  displayName: string;
  email: string;
  /** Null for a person with a passkey alone, or with a password to choose. */
  passwordHash: string | null;
  /**
   * The browser's sign-up cookie: with it the browser confirms the address and keeps what it made.
   */
  signUpCookie?: string;
};

/** A handle is held as long as an account may stay unconfirmed, so its end tells nothing. */
export const UNCONFIRMED_DAYS = 7;

export async function isHandleTaken(em: EntityManager, handle: string): Promise<boolean> {
  const holder = kysely(em).selectFrom('person').select('id').where('handle', '=', handle);
  return (await holder.executeTakeFirst()) !== undefined;
}

/**
 * The new person's id, or null when the handle or the address is taken. A held row is nobody and
 * has no address: it keeps the handle for as long as an account may stay unconfirmed.
 */
export async function insertPerson(
  em: EntityManager,
  person: NewPerson,
  { isHeld = false } = {},
): Promise<string | null> {
  const { id = newUuid(), handle, displayName, signUpCookie } = person;
  const { email, passwordHash } = isHeld ? { email: '', passwordHash: null } : person;
  const made = await kysely(em)
    .insertInto('person')
    .values({
      id,
      handle,
      displayName,
      email,
      passwordHash,
      isPasswordUnproven: passwordHash !== null,
      signUpBrowser: signUpCookie ? hashCredential(signUpCookie) : null,
      deletedAt: isHeld ? NOW : null,
      heldUntil: isHeld ? fromNow(`${UNCONFIRMED_DAYS} days`) : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? null;
}

/** Frees one batch of held handles. */
export async function removeHeldHandles(em: EntityManager): Promise<number> {
  const over = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('heldUntil', '<=', NOW)
    .limit(5_000)
    .execute();
  const ids = over.map(({ id }) => id);
  await kysely(em).deleteFrom('passkey').where('personId', '=', anyOf(ids)).execute();
  const removed = await kysely(em).deleteFrom('person').where('id', '=', anyOf(ids)).execute();
  return Number(removed[0]!.numDeletedRows);
}
