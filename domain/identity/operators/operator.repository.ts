import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { openEnrolment } from '../passkeys/enrolment.repository.ts';
import { insertPerson } from '../sign-up/new-person.repository.ts';
import { endAllSessions } from '../session.repository.ts';

export type Operator = { personId: string; handle: string; email: string };

export type Appointed = Operator & {
  outcome: 'created' | 'promoted' | 'unchanged';
  /** The person has neither password nor passkey: only a link leads in. */
  needsLink: boolean;
};

const ENROLMENT_HOURS = 24;

type Known = Operator & {
  isOperator: boolean;
  isProven: boolean;
  needsLink: boolean;
  /** Credentials from before the confirmation of the address. */
  hasUnproven: boolean;
};

/** Makes an operator of the person with the address, or creates the person. */
export async function appointOperator(
  em: EntityManager,
  { email, handle, displayName }: { email: string; handle: string; displayName: string },
): Promise<Appointed | Refusal<'handle_taken' | 'unproven_address' | 'unproven_credentials'>> {
  const made = await insertPerson(em, { email, handle, displayName, passwordHash: null });
  const person = await lockByEmail(em, email);
  if (!person) return refuse('handle_taken');
  const { isOperator, isProven, hasUnproven, ...known } = person;
  if (isOperator) return { ...known, outcome: 'unchanged' };
  // Anybody can sign up with another person's address, and must not become an operator by it.
  if (!isProven && !person.needsLink) return refuse('unproven_address');
  if (hasUnproven) return refuse('unproven_credentials');
  const { personId } = person;
  await setOperator(em, { personId, isOperator: true });
  await openEnrolment(em, { personId, hours: ENROLMENT_HOURS });
  return { ...known, outcome: made === null ? 'promoted' : 'created' };
}

/** Null when the address has no account. */
export async function dismissOperator(
  em: EntityManager,
  email: string,
): Promise<(Operator & { wasOperator: boolean }) | null> {
  const person = await lockByEmail(em, email);
  if (!person) return null;
  const { personId, handle, isOperator: wasOperator } = person;
  if (wasOperator) await setOperator(em, { personId, isOperator: false });
  return { personId, handle, email: person.email, wasOperator };
}

/**
 * Removes all credentials of an operator who lost every passkey: only a link leads in, because the
 * holder of the passkeys or the password may be another person. Null when the address has no
 * account.
 */
export async function recoverOperator(
  em: EntityManager,
  email: string,
): Promise<Operator | Refusal<'not_operator'> | null> {
  const person = await lockByEmail(em, email);
  if (!person) return null;
  const { personId, handle, email: address, isOperator } = person;
  if (!isOperator) return refuse('not_operator');
  await rows(em, 'delete from passkey where person_id = ?', [personId]);
  await rows(em, 'update person set password_hash = null where id = ?', [personId]);
  await endAllSessions(em, personId);
  await openEnrolment(em, { personId, hours: ENROLMENT_HOURS });
  return { personId, handle, email: address };
}

export async function listOperators(em: EntityManager): Promise<Operator[]> {
  return rows(
    em,
    `select id as "personId", handle, email from person
     where is_operator and deleted_at is null order by handle`,
  );
}

async function lockByEmail(em: EntityManager, email: string): Promise<Known | null> {
  // The lock comes first, so the passkeys are read as they stay.
  const lock =
    'select 1 from person where lower(email) = lower(?) and deleted_at is null for update';
  await rows(em, lock, [email]);
  const [found] = await rows<Known>(
    em,
    `select id as "personId", handle, email, is_operator as "isOperator",
       email_verified_at is not null as "isProven",
       password_hash is null and not exists (select 1 from passkey k where k.person_id = p.id)
         as "needsLink",
       is_password_unproven
         or exists (select 1 from passkey k where k.person_id = p.id and k.is_unproven)
         as "hasUnproven"
     from person p where lower(email) = lower(?) and deleted_at is null`,
    [email],
  );
  return found ?? null;
}

/** A change of rights ends the person's sessions. */
async function setOperator(
  em: EntityManager,
  { personId, isOperator }: { personId: string; isOperator: boolean },
): Promise<void> {
  await rows(em, 'update person set is_operator = ? where id = ?', [isOperator, personId]);
  await endAllSessions(em, personId);
}
