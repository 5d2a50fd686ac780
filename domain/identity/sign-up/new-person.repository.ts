import { rows, type EntityManager } from '../../../platform/database/database.ts';
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
  return (await rows(em, 'select 1 from person where handle = ?', [handle])).length > 0;
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
  const { id = newUuid(), handle, displayName } = person;
  const { email, passwordHash } = isHeld ? { email: '', passwordHash: null } : person;
  const [made] = await rows<{ id: string }>(
    em,
    `insert into person (id, handle, display_name, email, password_hash, is_password_unproven,
       sign_up_browser, deleted_at, held_until)
     select ?, ?, ?, ?, ?, ?, ?, case when held then gatehouse_now() end,
       case when held then gatehouse_now() + ? * interval '1 day' end
     from (values (?::boolean)) given (held)
     on conflict do nothing returning id`,
    [
      id,
      handle,
      displayName,
      email,
      passwordHash,
      passwordHash !== null,
      person.signUpCookie ? hashCredential(person.signUpCookie) : null,
      UNCONFIRMED_DAYS,
      isHeld,
    ],
  );
  return made?.id ?? null;
}

/** Frees one batch of held handles. */
export async function removeHeldHandles(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `with over as materialized (
       select id from person where held_until <= gatehouse_now() limit 5000),
     passkeys as (delete from passkey where person_id in (select id from over))
     delete from person where id in (select id from over) returning 1`,
  );
  return removed.length;
}
