import type { EntityManager } from '../../../platform/database/database.ts';
import { lower, lowerOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { Person } from '../person.entity.ts';
import { openEnrolment, removePasskeys } from '../passkeys/passkey.repository.ts';
import { insertPerson } from '../sign-up/sign-up.repository.ts';
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

/** Returns null when the address has no account. */
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
  await removePasskeys(em, { personId, onlyUnproven: false });
  await kysely(em)
    .updateTable('person')
    .set({ passwordHash: null })
    .where('id', '=', personId)
    .execute();
  await endAllSessions(em, personId);
  await openEnrolment(em, { personId, hours: ENROLMENT_HOURS });
  return { personId, handle, email: address };
}

export async function listOperators(em: EntityManager): Promise<Operator[]> {
  return kysely(em)
    .selectFrom('person')
    .select(['id as personId', 'handle', 'email'])
    .where('isOperator', '=', true)
    .where('deletedAt', 'is', null)
    .orderBy('handle')
    .execute();
}

async function lockByEmail(em: EntityManager, email: string): Promise<Known | null> {
  const people = kysely(em)
    .selectFrom('person')
    .where(lower('person.email'), '=', lowerOf(email))
    .where('person.signUpBrowser', 'is', null)
    .where('person.deletedAt', 'is', null);
  // The lock comes first, so the passkeys are read as they stay.
  await people.select('person.id').forUpdate().execute();
  const found = await people
    .select(['person.id as personId', 'person.handle', 'person.email', 'person.isOperator'])
    .select(({ eb, and, or, not, exists, selectFrom }) => {
      const passkeys = selectFrom('passkey')
        .select('passkey.id')
        .whereRef('passkey.personId', '=', 'person.id');
      const unproven = passkeys.where('passkey.isUnproven', '=', true);
      return [
        eb('person.emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isProven'),
        and([eb('person.passwordHash', 'is', null), not(exists(passkeys))])
          .$castTo<boolean>()
          .as('needsLink'),
        or([eb('person.isPasswordUnproven', '=', true), exists(unproven)])
          .$castTo<boolean>()
          .as('hasUnproven'),
      ];
    })
    .executeTakeFirst();
  return found ?? null;
}

/** A change of rights ends the person's sessions. */
async function setOperator(
  em: EntityManager,
  { personId, isOperator }: { personId: string; isOperator: boolean },
): Promise<void> {
  await em.nativeUpdate(Person, { id: personId }, { isOperator });
  await endAllSessions(em, personId);
}
