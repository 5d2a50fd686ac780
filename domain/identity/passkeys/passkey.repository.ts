import type { ExpressionBuilder, NotNull } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { lockPerson } from '../account.repository.ts';

export type PasskeyView = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null };

export type NewPasskey = {
  personId: string;
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  transports: string[];
  name: string;
};

const MOST_PASSKEYS = 20;

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

/**
 * False when the passkey is registered already, or the person has too many. The person's row is
 * locked.
 */
export async function insertPasskey(em: EntityManager, passkey: NewPasskey): Promise<boolean> {
  const { personId, credentialId, counter, transports, name } = passkey;
  await lockPerson(em, personId);
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
  if (!person || person.passkeys >= MOST_PASSKEYS) return false;
  const made = await kysely(em)
    .insertInto('passkey')
    .values({
      id: newUuid(),
      personId,
      credentialId,
      publicKey: Buffer.from(passkey.publicKey),
      counter,
      transports,
      name,
      isUnproven: person.isUnproven,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return made.numInsertedOrUpdatedRows === 1n;
}

export type KnownPasskey = { personId: string; publicKey: Uint8Array; counter: number };

/** Returns null for a sign-up's passkey until the address is confirmed. */
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

/** False when the counter has not moved on: the authenticator may have been copied. */
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

/**
 * Refused for the last passkey of a person without a password, under the person's row: of two that
 * are removed at once, one stays.
 */
export async function removePasskey(
  em: EntityManager,
  { personId, passkeyId }: { personId: string; passkeyId: string },
): Promise<{ isRemoved: boolean } | Refusal<'last_way_in'>> {
  await lockPerson(em, personId);
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
  const left = await kysely(em)
    .selectFrom('passkey')
    .select('id')
    .where('id', '=', passkeyId)
    .where('personId', '=', personId)
    .executeTakeFirst();
  return left ? refuse('last_way_in') : { isRemoved: removed.numDeletedRows === 1n };
}

/** Removes all passkeys, or those from before the confirmation of the address. */
export async function removePasskeys(
  em: EntityManager,
  { personId, onlyUnproven }: { personId: string; onlyUnproven: boolean },
): Promise<void> {
  await kysely(em)
    .deleteFrom('passkey')
    .where('personId', '=', personId)
    .$if(onlyUnproven, (query) => query.where('isUnproven', '=', true))
    .execute();
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

/** Takes the enrolment for one of two requests at once. */
export async function takeEnrolment(em: EntityManager, personId: string): Promise<boolean> {
  const taken = await kysely(em)
    .updateTable('person')
    .set({ passkeyEnrolmentUntil: null })
    .where('person.id', '=', personId)
    .where(isEnrolling)
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
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
