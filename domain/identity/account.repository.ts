import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid, parseUuid } from '../shared/ids.ts';

export type Account = {
  personId: string;
  handle: string;
  displayName: string;
  email: string;
  passwordHash: string | null;
  isEmailVerified: boolean;
  /** A sign-up that has yet to confirm its address. */
  isPending: boolean;
};

const ACCOUNT = `select id as "personId", handle, display_name as "displayName", email,
    password_hash as "passwordHash", email_verified_at is not null as "isEmailVerified",
    sign_up_browser is not null as "isPending"
  from person`;

export async function findAccount(em: EntityManager, personId: string): Promise<Account | null> {
  const [found] = await rows<Account>(em, `${ACCOUNT} where id = ? and deleted_at is null`, [
    personId,
  ]);
  return found ?? null;
}

export async function findAccountByEmail(
  em: EntityManager,
  email: string,
): Promise<Account | null> {
  const [found] = await rows<Account>(
    em,
    `${ACCOUNT} where lower(email) = lower(?) and deleted_at is null`,
    [email],
  );
  return found ?? null;
}

/**
 * Finds a person by handle or id. A person without a confirmed address is not found: the handle of
 * a sign-up would tell whether it made an account.
 */
export async function findPersonId(em: EntityManager, named: string): Promise<string | null> {
  const id = parseUuid(named);
  const [found] = await rows<{ id: string }>(
    em,
    `select id from person
     where deleted_at is null and sign_up_browser is null and ${id ? 'id' : 'handle'} = ?`,
    [id ?? named.toLowerCase()],
  );
  return found?.id ?? null;
}

/** Returns the earlier address, or null when the new one belongs to another person by now. */
export async function changeEmail(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<{ before: string } | null> {
  const [changed] = await rows<{ before: string }>(
    em,
    `update person p set email = ?, email_verified_at = gatehouse_now(),
       is_password_unproven = false, sign_up_browser = null
     from person old
     where p.id = ? and old.id = p.id and p.deleted_at is null
       and not exists (select 1 from person other
         where lower(other.email) = lower(?) and other.deleted_at is null and other.id <> p.id)
     returning old.email as before`,
    [address, personId, address],
  );
  return changed ?? null;
}

export async function changePasswordHash(
  em: EntityManager,
  { personId, passwordHash }: { personId: string; passwordHash: string },
): Promise<void> {
  await rows(
    em,
    `update person set password_hash = ?, is_password_unproven = email_verified_at is null
     where id = ? and deleted_at is null`,
    [passwordHash, personId],
  );
}

/** False when the handle belongs to another person. */
export async function changeProfile(
  em: EntityManager,
  profile: { personId: string; handle: string; displayName: string },
): Promise<boolean> {
  const { personId, handle, displayName } = profile;
  const changed = await rows(
    em,
    `update person p set handle = ?, display_name = ?
     where p.id = ? and p.deleted_at is null
       and not exists (select 1 from person other where other.handle = ? and other.id <> p.id)
     returning p.id`,
    [handle, displayName, personId, handle],
  );
  return changed.length > 0;
}

/**
 * Empties the row of a person; purchases keep its id. The caller has checked under this row's lock
 * that nothing needs the person as its owner.
 */
export async function erasePerson(em: EntityManager, personId: string): Promise<void> {
  for (const table of ['session', 'passkey', 'mail_token', 'person_image']) {
    await rows(em, `delete from ${table} where person_id = ?`, [personId]);
  }
  const handle = `gone_${newUuid().replaceAll('-', '').slice(-19)}`;
  await rows(
    em,
    `update person set handle = ?, display_name = 'Deleted person', email = '', password_hash = null,
       image_name = null, sign_up_browser = null, email_verified_at = null, builder_verified_at = null,
       builder_requested_at = null, is_operator = false,
       deleted_at = gatehouse_now()
     where id = ?`,
    [handle, personId],
  );
}

/** Keeps a person from leaving until the transaction ends; false when the person is gone. */
export async function holdPerson(em: EntityManager, personId: string): Promise<boolean> {
  const living = 'select 1 from person where id = ? and deleted_at is null for share';
  return (await rows(em, living, [personId])).length > 0;
}

export async function lockPerson(em: EntityManager, personId: string): Promise<void> {
  await rows(em, 'select 1 from person where id = ? for update', [personId]);
}
