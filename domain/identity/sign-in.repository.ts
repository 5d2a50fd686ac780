import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential } from '../shared/ids.ts';
import { holdPerson } from './account.repository.ts';

/** True for the first sign-in of a person with a confirmed address. */
export async function recordFirstSignIn(em: EntityManager, personId: string): Promise<boolean> {
  const recorded = await kysely(em)
    .updateTable('person')
    .set({ firstSignedInAt: NOW })
    .where('id', '=', personId)
    .where('firstSignedInAt', 'is', null)
    .where('emailVerifiedAt', 'is not', null)
    .executeTakeFirst();
  return recorded.numUpdatedRows === 1n;
}

/** The credential of a sign-in. */
export type Credential = { passwordHash: string } | { credentialId: string };

/**
 * Keeps the credential as it is until the transaction ends; false when it changed since it was
 * checked.
 */
export async function holdCredential(
  em: EntityManager,
  { personId, ...credential }: Credential & { personId: string },
): Promise<boolean> {
  if (!(await holdPerson(em, personId))) return false;
  const found = await (
    'passwordHash' in credential
      ? personWithPassword(em, { personId, ...credential })
      : personWithPasskey(em, { personId, ...credential })
  ).executeTakeFirst();
  return found !== undefined;
}

/** Compares digests, so the hash itself is in no statement. */
const personWithPassword = (
  em: EntityManager,
  { personId, passwordHash }: { personId: string; passwordHash: string },
) =>
  kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where(
      ({ fn, val }) => fn<Buffer>('sha256', [fn('convert_to', ['passwordHash', val('UTF8')])]),
      '=',
      hashCredential(passwordHash),
    );

const personWithPasskey = (
  em: EntityManager,
  { personId, credentialId }: { personId: string; credentialId: string },
) =>
  kysely(em)
    .selectFrom('passkey')
    .innerJoin('person', 'person.id', 'passkey.personId')
    .select('person.id')
    .where('person.id', '=', personId)
    .where('passkey.credentialId', '=', credentialId)
    .where(({ or, eb }) =>
      or([eb('passkey.isUnproven', '=', false), eb('person.emailVerifiedAt', 'is', null)]),
    );
