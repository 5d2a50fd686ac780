import type { EntityManager } from '../../../platform/database/database.ts';
import { lower, lowerOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { Person } from '../person.entity.ts';

export type Operator = { personId: string; handle: string; email: string };

export async function listOperators(em: EntityManager): Promise<Operator[]> {
  return kysely(em)
    .selectFrom('person')
    .select(['id as personId', 'handle', 'email'])
    .where('isOperator', '=', true)
    .where('deletedAt', 'is', null)
    .orderBy('handle')
    .execute();
}

/**
 * Locks the person with the address. `needsLink`: the person has neither password nor passkey.
 * `hasUnproven`: credentials from before the confirmation of the address.
 */
export async function lockByEmail(em: EntityManager, email: string) {
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

export async function setOperator(
  em: EntityManager,
  { personId, isOperator }: { personId: string; isOperator: boolean },
): Promise<void> {
  await em.nativeUpdate(Person, { id: personId }, { isOperator });
}

export async function removePassword(em: EntityManager, personId: string): Promise<void> {
  await em.nativeUpdate(Person, { id: personId }, { passwordHash: null });
}
