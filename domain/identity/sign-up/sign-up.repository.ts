import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, newUuid } from '../../shared/ids.ts';
import { erasePerson } from '../account.repository.ts';

export type NewPerson = {
  /** Set when a passkey names the id already. */
  id?: string;
  handle: string;
  displayName: string;
  email: string;
  /** Null for a person with a passkey alone, or with a password to choose. */
  passwordHash: string | null;
  /**
   * The browser's sign-up cookie: with it the browser confirms the address and keeps what it made.
   */
  signUpCookie?: string;
};

/** A handle is held as long as an account may stay unconfirmed, so its end tells nothing. */
const UNCONFIRMED_DAYS = 7;

type AskedHandle = { handle: string; signUpCookie?: string | null };

/** A browser may take again the handle of a sign-up that it has not confirmed. */
export async function isHandleTaken(em: EntityManager, asked: AskedHandle): Promise<boolean> {
  const browser = browserOf(asked);
  const holder = kysely(em)
    .selectFrom('person')
    .select('id')
    .where('handle', '=', asked.handle)
    .$if(browser !== null, (held) => held.where('signUpBrowser', 'is distinct from', browser))
    .executeTakeFirst();
  return (await holder) !== undefined;
}

/**
 * Ends the unconfirmed sign-up of this browser that holds the handle: the address in it was wrong. A
 * row that only holds the handle ends alike.
 */
export async function freeHandle(em: EntityManager, asked: AskedHandle): Promise<void> {
  const own = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('handle', '=', asked.handle)
    .where('signUpBrowser', '=', browserOf(asked))
    .where('emailVerifiedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (own) await erasePerson(em, own.id);
}

function browserOf({ signUpCookie }: AskedHandle): Buffer | null {
  return signUpCookie ? hashCredential(signUpCookie) : null;
}

/**
 * The new person's id, or null when the handle or the address is taken. A held row is nobody and
 * has no address: it keeps the handle for as long as an account may stay unconfirmed.
 */
export async function insertPerson(
  em: EntityManager,
  person: NewPerson,
  { isHeld = false } = {},
): Promise<string | null> {
  const { id = newUuid(), handle, displayName } = person;
  const { email, passwordHash } = isHeld ? { email: '', passwordHash: null } : person;
  const made = await kysely(em)
    .insertInto('person')
    .values({
      id,
      handle,
      displayName,
      email,
      passwordHash,
      isPasswordUnproven: passwordHash !== null,
      signUpBrowser: browserOf(person),
      deletedAt: isHeld ? NOW : null,
      heldUntil: isHeld ? fromNow(`${UNCONFIRMED_DAYS} days`) : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? null;
}

/** Frees one batch of held handles. */
export async function removeHeldHandles(em: EntityManager): Promise<number> {
  const over = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('heldUntil', '<=', NOW)
    .limit(5_000)
    .execute();
  const ids = over.map(({ id }) => id);
  await kysely(em).deleteFrom('passkey').where('personId', '=', anyOf(ids)).execute();
  const removed = await kysely(em).deleteFrom('person').where('id', '=', anyOf(ids)).execute();
  return Number(removed[0]!.numDeletedRows);
}

// Each one takes several statements.
const BATCH = 100;

/** Others rely on such an account, or money stands behind it: it stays. */
const TIES = [
  'teamMember',
  'payoutAccount',
  'accessGrant',
  'checkout',
  'purchase',
  'subscription',
  'membership',
] as const;

/**
 * Deletes one batch of accounts whose address was not confirmed in time, and returns their number.
 * A confirmation at the same moment holds the row, and its account stays.
 */
export async function eraseUnconfirmed(em: EntityManager): Promise<number> {
  const over = await kysely(em)
    .selectFrom('person')
    .select('person.id')
    .where('person.emailVerifiedAt', 'is', null)
    .where('person.deletedAt', 'is', null)
    .where('person.isOperator', '=', false)
    .where('person.createdAt', '<=', ago(`${UNCONFIRMED_DAYS} days`))
    .where(({ and, not, exists, selectFrom }) =>
      and(
        TIES.map((table) =>
          not(exists(selectFrom(table).select('personId').whereRef('personId', '=', 'person.id'))),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('product')
            .select('product.id')
            .where(({ or, eb, ref }) =>
              or([
                eb('product.ownerPersonId', '=', ref('person.id')),
                eb('product.commercialOperatorId', '=', ref('person.id')),
              ]),
            ),
        ),
      ),
    )
    .orderBy('person.createdAt')
    .limit(BATCH)
    .forNoKeyUpdate('person')
    .skipLocked()
    .execute();
  for (const { id } of over) await erasePerson(em, id);
  return over.length;
}
