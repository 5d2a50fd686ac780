import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential, newUuid } from '../../shared/ids.ts';

export type NewPerson = {
  /** Given where a passkey names it already. */
  id?: string;
  handle: string;
  displayName: string;
  email: string;
  /** Null for somebody who has a passkey only, or has yet to choose a password. */
  passwordHash: string | null;
  /** The sign-up cookie of the browser: it may confirm the address and keep what it has made. */
  signUpCookie?: string;
};

/** As long as an account may stay unconfirmed, a handle is held: that one ends tells nothing. */
export const UNCONFIRMED_DAYS = 7;

export async function isHandleTaken(em: EntityManager, handle: string): Promise<boolean> {
  return (await rows(em, 'select 1 from person where handle = ?', [handle])).length > 0;
}

/**
 * The new person's id, or null where the handle or the address belongs to somebody. Held, the row
 * is nobody's and has no address: it only takes the handle, for as long as an account may stay
 * unconfirmed.
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

/** Gives handles back that nobody got; bounded. */
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
