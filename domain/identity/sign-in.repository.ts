import type { EntityManager } from '../../platform/database/database.ts';
import { ago, CLOCK, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential } from '../shared/ids.ts';
import { holdPerson } from './account.repository.ts';
import { Person } from './person.entity.ts';

/** Returns true for the first sign-in of a person with a confirmed address. */
export async function recordFirstSignIn(em: EntityManager, personId: string): Promise<boolean> {
  const first = { id: personId, firstSignedInAt: null, emailVerifiedAt: { $ne: null } };
  return (await em.nativeUpdate(Person, first, { firstSignedInAt: CLOCK })) === 1;
}

/** Records an address once a day. */
export async function recordSignInAddress(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<void> {
  await kysely(em)
    .insertInto('signInAddress')
    .values({ personId, address })
    .onConflict((conflict) =>
      conflict
        .columns(['personId', 'address'])
        .doUpdateSet({ lastAt: NOW })
        .where('signInAddress.lastAt', '<', ago('1 day')),
    )
    .execute();
}

/** The time after the last sign-in from there. */
export const SIGN_IN_ADDRESS_KEPT = '90 days';
const BATCH = 5_000;

/** Removes one batch of addresses that nobody has signed in from for 90 days. */
export async function removeOldSignInAddresses(em: EntityManager): Promise<number> {
  const { numDeletedRows } = await kysely(em)
    .deleteFrom('signInAddress')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('personId', 'address'),
        'in',
        selectFrom('signInAddress as old')
          .select(['old.personId', 'old.address'])
          .where('old.lastAt', '<=', ago(SIGN_IN_ADDRESS_KEPT))
          .limit(BATCH)
          .$asTuple('personId', 'address'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
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
