import type { EntityManager } from '../../../platform/database/database.ts';
import {
  after,
  ago,
  anyOf,
  fromNow,
  lower,
  lowerOf,
  NOW,
} from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, newUuid } from '../../shared/ids.ts';
import { erasePerson } from '../account.repository.ts';

export type NewPerson = {
  /** Set when a passkey names the id already. */
  id?: string;
  handle: string;
  displayName: string;
  email: string;
  /** Is null for a person with a passkey alone, or with a password to choose. */
  passwordHash: string | null;
  /**
   * The browser's sign-up cookie: with it the browser confirms the address and keeps what it made.
   * Null for a person who is made at the command line.
   */
  signUpCookie: string | null;
};

/** A handle is held as long as an account may stay unconfirmed, so its end tells nothing. */
const UNCONFIRMED_DAYS = 7;

type HandleRequest = { handle: string; signUpCookie: string | null };

/** Lets a browser take again the handle of a sign-up that it has not confirmed. */
export async function isHandleTaken(em: EntityManager, request: HandleRequest): Promise<boolean> {
  const browser = hashBrowser(request);
  const holder = kysely(em)
    .selectFrom('person')
    .select('id')
    .where('handle', '=', request.handle)
    .$if(browser !== null, (held) => held.where('signUpBrowser', 'is distinct from', browser))
    .executeTakeFirst();
  return (await holder) !== undefined;
}

/** Locks the unconfirmed sign-up of this browser that holds the handle, or the row that only holds it. */
export async function lockOwnSignUp(
  em: EntityManager,
  request: HandleRequest,
): Promise<{ personId: string } | null> {
  const own = await kysely(em)
    .selectFrom('person')
    .select('id as personId')
    .where('handle', '=', request.handle)
    .where('signUpBrowser', '=', hashBrowser(request))
    .where('emailVerifiedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return own ?? null;
}

function hashBrowser({ signUpCookie }: Pick<HandleRequest, 'signUpCookie'>): Buffer | null {
  return signUpCookie === null ? null : hashCredential(signUpCookie);
}

/** The sign-ups that wait for a confirmation of the address; each keeps its own credentials. */
const signUpsOf = (em: EntityManager, address: string) =>
  kysely(em)
    .selectFrom('person')
    .where(lower('email'), '=', lowerOf(address))
    .where('signUpBrowser', 'is not', null)
    .where('deletedAt', 'is', null);

/** The latest sign-up that waits for the address; one of this browser comes first. */
export async function findSignUp(
  em: EntityManager,
  { address, signUpCookie }: { address: string; signUpCookie: string | null },
) {
  const browser = hashBrowser({ signUpCookie });
  const found = await signUpsOf(em, address)
    .select(['id as personId', 'handle', 'email'])
    .select(({ eb, fn, val }) =>
      fn
        .coalesce(eb('signUpBrowser', '=', browser), val(false))
        .$castTo<boolean>()
        .as('isOwn'),
    )
    .orderBy('isOwn', 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Locks the person and every sign-up that waits for the address, in one order: of two confirmations
 * at once, the second sees what the first has done.
 */
export async function lockSignUps(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<void> {
  await kysely(em)
    .selectFrom('person')
    .select('id')
    .where(({ eb, or }) =>
      or([eb('id', '=', personId), eb('id', 'in', signUpsOf(em, address).select('id'))]),
    )
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * Ends the other sign-ups with an address whose owner has confirmed it. Their handles stay held as
 * long as before, so that whoever made them does not learn it.
 */
export async function endOtherSignUps(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set({
      email: '',
      passwordHash: null,
      isPasswordUnproven: false,
      deletedAt: NOW,
      heldUntil: after('createdAt', `${UNCONFIRMED_DAYS} days`),
    })
    .where('id', 'in', signUpsOf(em, address).select('id'))
    .where('id', '<>', personId)
    .execute();
}

/**
 * Returns the new person's id, or null when the handle is taken, or the address by an account. A held row
 * is nobody and has no address: it keeps the handle for as long as an account may stay unconfirmed.
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
      signUpBrowser: hashBrowser(person),
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
  for (const table of ['passkey', 'mailToken'] as const) {
    await kysely(em).deleteFrom(table).where('personId', '=', anyOf(ids)).execute();
  }
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
