import type { ExpressionBuilder, NotNull } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { Passkey } from './passkey.entity.ts';

export type PasskeyView = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null };

export type NewPasskey = {
  personId: string;
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  transports: string[];
  name: string;
};

export async function listPasskeys(em: EntityManager, personId: string): Promise<PasskeyView[]> {
  return kysely(em)
    .selectFrom('passkey')
    .select(['id', 'name', 'createdAt', 'lastUsedAt'])
    .where('personId', '=', personId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export async function listCredentialIds(em: EntityManager, personId: string): Promise<string[]> {
  const found = await kysely(em)
    .selectFrom('passkey')
    .select('credentialId')
    .where('personId', '=', personId)
    .execute();
  return found.map(({ credentialId }) => credentialId);
}

/** Counts the passkeys of a person, and says whether a new one would be unproven. */
export async function countPasskeys(
  em: EntityManager,
  personId: string,
): Promise<{ passkeys: number; isUnproven: boolean } | null> {
  const person = await kysely(em)
    .selectFrom('person')
    .select(({ eb, selectFrom, fn }) => [
      eb('emailVerifiedAt', 'is', null).$castTo<boolean>().as('isUnproven'),
      selectFrom('passkey')
        .select(fn.countAll<number>().as('n'))
        .where('personId', '=', personId)
        .as('passkeys'),
    ])
    .where('id', '=', personId)
    .$narrowType<{ passkeys: NotNull }>()
    .executeTakeFirst();
  return person ?? null;
}

/** Returns false when the passkey is registered already. */
export async function insertPasskey(
  em: EntityManager,
  passkey: NewPasskey & { isUnproven: boolean },
): Promise<boolean> {
  const { publicKey, ...columns } = passkey;
  const made = await kysely(em)
    .insertInto('passkey')
    .values({ id: newUuid(), publicKey: Buffer.from(publicKey), ...columns })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return made.numInsertedOrUpdatedRows === 1n;
}

export type KnownPasskey = { personId: string; publicKey: Uint8Array; counter: number };

/** Finds no passkey of a sign-up until its address is confirmed. */
export async function findPasskey(
  em: EntityManager,
  credentialId: string,
): Promise<KnownPasskey | null> {
  const found = await kysely(em)
    .selectFrom('passkey')
    .innerJoin('person', 'person.id', 'passkey.personId')
    .select(['passkey.personId', 'passkey.publicKey', 'passkey.counter'])
    .where('passkey.credentialId', '=', credentialId)
    .where('person.deletedAt', 'is', null)
    .where('person.signUpBrowser', 'is', null)
    .executeTakeFirst();
  return found ?? null;
}

/** Returns false when the counter has not moved on: the authenticator may have been copied. */
export async function recordPasskeyUse(
  em: EntityManager,
  { credentialId, counter }: { credentialId: string; counter: number },
): Promise<boolean> {
  const used = await kysely(em)
    .updateTable('passkey')
    .set({ counter, lastUsedAt: NOW })
    .where('credentialId', '=', credentialId)
    // An authenticator without a counter always sends 0.
    .where('counter', counter === 0 ? '=' : '<', counter)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Deletes a passkey, but not the last one of a person without a password. */
export async function deletePasskey(
  em: EntityManager,
  { personId, passkeyId }: { personId: string; passkeyId: string },
): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('passkey')
    .using('person')
    .where('passkey.id', '=', passkeyId)
    .whereRef('person.id', '=', 'passkey.personId')
    .where('person.id', '=', personId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('person.passwordHash', 'is not', null),
        exists(
          selectFrom('passkey as other')
            .select('other.id')
            .whereRef('other.personId', '=', 'person.id')
            .whereRef('other.id', '<>', 'passkey.id'),
        ),
      ]),
    )
    .executeTakeFirst();
  return removed.numDeletedRows === 1n;
}

export async function hasPasskey(
  em: EntityManager,
  { personId, passkeyId }: { personId: string; passkeyId: string },
): Promise<boolean> {
  return (await em.count(Passkey, { id: passkeyId, personId })) > 0;
}

/** Removes all passkeys, or those from before the confirmation of the address. */
export async function removePasskeys(
  em: EntityManager,
  { personId, onlyUnproven }: { personId: string; onlyUnproven: boolean },
): Promise<void> {
  await em.nativeDelete(Passkey, { personId, ...(onlyUnproven && { isUnproven: true }) });
}

/**
 * True when an operator with a password session may add a passkey: the first one, for a while after
 * the command line allowed it.
 */
export async function isEnrolmentOpen(em: EntityManager, personId: string): Promise<boolean> {
  const open = await kysely(em)
    .selectFrom('person')
    .select('person.id')
    .where('person.id', '=', personId)
    .where(isEnrolling)
    .executeTakeFirst();
  return open !== undefined;
}

/** Uses the enrolment up: of two requests at once, one gets it. */
export async function consumeEnrolment(em: EntityManager, personId: string): Promise<boolean> {
  const used = await kysely(em)
    .updateTable('person')
    .set({ passkeyEnrolmentUntil: null })
    .where('person.id', '=', personId)
    .where(isEnrolling)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

function isEnrolling({ and, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'person'>) {
  const passkeys = selectFrom('passkey')
    .select('passkey.id')
    .whereRef('passkey.personId', '=', 'person.id');
  return and([eb('person.passkeyEnrolmentUntil', '>', NOW), not(exists(passkeys))]);
}

export async function openEnrolment(
  em: EntityManager,
  { personId, hours }: { personId: string; hours: number },
): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set({ passkeyEnrolmentUntil: fromNow(`${hours} hours`) })
    .where('id', '=', personId)
    .execute();
}
