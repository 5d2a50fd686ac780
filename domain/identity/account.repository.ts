import type { ExpressionBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { lower, lowerOf, NOW } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { newUuid, parseUuid } from '../shared/ids.ts';

const accounts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('person')
    .select(['id as personId', 'handle', 'displayName', 'email', 'passwordHash'])
    .select(({ eb }) =>
      eb('emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isEmailVerified'),
    )
    .where('deletedAt', 'is', null);

export async function findAccount(em: EntityManager, personId: string) {
  return (await accounts(em).where('id', '=', personId).executeTakeFirst()) ?? null;
}

export type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

/** Finds no sign-up that waits for a confirmation: anybody may have made it. */
export async function findAccountByEmail(em: EntityManager, email: string) {
  const found = await accounts(em)
    .where(lower('email'), '=', lowerOf(email))
    .where('signUpBrowser', 'is', null)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Finds a person by handle or id. A person without a confirmed address is not found: the handle of
 * a sign-up would tell whether it made an account.
 */
export async function findPersonId(em: EntityManager, named: string): Promise<string | null> {
  const id = parseUuid(named);
  const people = kysely(em)
    .selectFrom('person')
    .select('id')
    .where('deletedAt', 'is', null)
    .where('signUpBrowser', 'is', null);
  const found = await (
    id ? people.where('id', '=', id) : people.where('handle', '=', named.toLowerCase())
  ).executeTakeFirst();
  return found?.id ?? null;
}

/** Returns the earlier address, or null when the new one belongs to another person by now. */
export async function changeEmail(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<{ before: string } | null> {
  const changed = await kysely(em)
    .updateTable('person')
    .from('person as old')
    .set({ email: address, emailVerifiedAt: NOW, isPasswordUnproven: false, signUpBrowser: null })
    .where('person.id', '=', personId)
    .whereRef('old.id', '=', 'person.id')
    .where('person.deletedAt', 'is', null)
    .where((person) =>
      person.not(
        person.exists(
          selectOthers(person)
            .where(lower('other.email'), '=', lowerOf(address))
            .where('other.signUpBrowser', 'is', null)
            .where('other.deletedAt', 'is', null),
        ),
      ),
    )
    .returning('old.email as before')
    .executeTakeFirst();
  return changed ?? null;
}

const selectOthers = ({ selectFrom }: ExpressionBuilder<Tables, 'person'>) =>
  selectFrom('person as other').select('other.id').whereRef('other.id', '<>', 'person.id');

export async function changePasswordHash(
  em: EntityManager,
  { personId, passwordHash }: { personId: string; passwordHash: string },
): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set(({ eb }) => ({
      passwordHash,
      isPasswordUnproven: eb('emailVerifiedAt', 'is', null).$castTo<boolean>(),
    }))
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .execute();
}

/** Changes handle and display name; returns false when the handle belongs to another person. */
export async function changeNames(
  em: EntityManager,
  profile: { personId: string; handle: string; displayName: string },
): Promise<boolean> {
  const { personId, handle, displayName } = profile;
  const changed = await kysely(em)
    .updateTable('person')
    .set({ handle, displayName })
    .where('person.id', '=', personId)
    .where('person.deletedAt', 'is', null)
    .where((person) =>
      person.not(person.exists(selectOthers(person).where('other.handle', '=', handle))),
    )
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

const PERSONAL = [
  'session',
  'signInAddress',
  'passkey',
  'mailToken',
  'personImage',
  'verificationRequest',
] as const;

/**
 * Empties the row of a person; purchases keep its id. The caller has checked under this row's lock
 * that nothing needs the person as its owner.
 */
export async function erasePerson(em: EntityManager, personId: string): Promise<void> {
  for (const table of PERSONAL) {
    await kysely(em).deleteFrom(table).where('personId', '=', personId).execute();
  }
  await kysely(em)
    .updateTable('person')
    .set({
      handle: `gone_${newUuid().replaceAll('-', '').slice(-19)}`,
      displayName: 'Deleted person',
      email: '',
      passwordHash: null,
      imageName: null,
      signUpBrowser: null,
      emailVerifiedAt: null,
      builderVerifiedAt: null,
      builderRequestedAt: null,
      builderDeclinedFor: null,
      isOperator: false,
      deletedAt: NOW,
    })
    .where('id', '=', personId)
    .execute();
}

/** Keeps a person from leaving until the transaction ends; false when the person is gone. */
export async function holdPerson(em: EntityManager, personId: string): Promise<boolean> {
  const living = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .forShare()
    .executeTakeFirst();
  return living !== undefined;
}

export async function lockPerson(em: EntityManager, personId: string): Promise<void> {
  await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .forUpdate()
    .execute();
}
