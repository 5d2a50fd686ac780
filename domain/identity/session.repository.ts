import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { fromNow, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';
import { holdPerson, lockPerson } from './account.repository.ts';
import { Session, type AuthenticatedBy } from './session.entity.ts';

const SESSION_LIFETIME = '30 days';
/** Visits are recorded once a minute. */
export const THIS_MINUTE = sql<Date>`date_trunc('minute', ${NOW})`;

/** Starts a session; the cookie holds the token, the row its hash. */
export async function startSession(
  em: EntityManager,
  session: { personId: string; device: string; authenticatedBy?: AuthenticatedBy },
): Promise<string> {
  const { personId, device, authenticatedBy = 'password' } = session;
  const token = newCredential('gs_');
  await kysely(em)
    .insertInto('session')
    .values({
      tokenHash: hashCredential(token),
      personId,
      device,
      authenticatedBy,
      lastSeenAt: THIS_MINUTE,
      expiresAt: fromNow(SESSION_LIFETIME),
    })
    .execute();
  return token;
}

/** The live sessions of a person, the latest seen first. */
export async function listSessions(
  em: EntityManager,
  { personId, token }: { personId: string; token: string },
) {
  return kysely(em)
    .selectFrom('session')
    .select(['id', 'device', 'createdAt', 'lastSeenAt'])
    .select(({ eb }) =>
      eb('tokenHash', '=', hashCredential(token)).$castTo<boolean>().as('isCurrent'),
    )
    .where('personId', '=', personId)
    .where('expiresAt', '>', NOW)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
}

export type SessionView = Awaited<ReturnType<typeof listSessions>>[number];

const REPLACED = '10 seconds';

/**
 * Gives the session a new token after a proof: a copy of the old token is not proved and ends. The
 * old token lives on for a moment, because a second click still sends it. Null when the session is
 * over.
 */
export async function renewSession(
  em: EntityManager,
  { token, authenticatedBy }: { token: string; authenticatedBy: AuthenticatedBy },
): Promise<string | null> {
  const renewed = newCredential('gs_');
  const made = await kysely(em)
    .with('old', (query) =>
      query
        .selectFrom('session')
        .selectAll()
        .where('tokenHash', '=', hashCredential(token))
        .where('expiresAt', '>', NOW)
        .forUpdate(),
    )
    .with('replaced', (query) =>
      query
        .updateTable('session')
        .from('old')
        .set(({ fn, ref }) => ({
          expiresAt: fn<Date>('least', [ref('session.expiresAt'), fromNow(REPLACED)]),
        }))
        .whereRef('session.tokenHash', '=', 'old.tokenHash'),
    )
    .insertInto('session')
    .columns([
      ...(['tokenHash', 'authenticatedBy', 'expiresAt'] as const),
      ...(['personId', 'createdAt', 'lastSeenAt', 'device'] as const),
    ])
    .expression(({ selectFrom }) =>
      selectFrom('old').select(({ val, ref }) => [
        val(hashCredential(renewed)).as('tokenHash'),
        // A passkey that was used once stays the proof.
        (authenticatedBy === 'passkey' ? val('passkey') : ref('authenticatedBy')).as('by'),
        sql<Date>`${ref('createdAt')} + ${SESSION_LIFETIME}::interval`.as('expiresAt'),
        ...(['personId', 'createdAt', 'lastSeenAt', 'device'] as const),
      ]),
    )
    .executeTakeFirst();
  return made.numInsertedOrUpdatedRows === 1n ? renewed : null;
}

/**
 * Locks the person for a change; false when the session has ended meanwhile, so that a person who
 * was just shut out adds nothing to the account.
 */
export async function lockForSession(
  em: EntityManager,
  { personId, token }: { personId: string; token: string | null },
): Promise<boolean> {
  await lockPerson(em, personId);
  return isSessionLive(em, { personId, token });
}

/** Holds the person for a change that adds to what others read: many may hold it at once. */
export async function holdSession(
  em: EntityManager,
  { personId, token }: { personId: string; token: string | null },
): Promise<boolean> {
  return (await holdPerson(em, personId)) && (await isSessionLive(em, { personId, token }));
}

async function isSessionLive(
  em: EntityManager,
  { personId, token }: { personId: string; token: string | null },
): Promise<boolean> {
  if (token === null) return false;
  const found = await kysely(em)
    .selectFrom('session')
    .select('id')
    .where('tokenHash', '=', hashCredential(token))
    .where('personId', '=', personId)
    .where('expiresAt', '>', NOW)
    .executeTakeFirst();
  return found !== undefined;
}

export async function endSession(em: EntityManager, token: string): Promise<void> {
  await kysely(em).deleteFrom('session').where('tokenHash', '=', hashCredential(token)).execute();
}

export async function endSessionById(
  em: EntityManager,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<void> {
  await em.nativeDelete(Session, { id: sessionId, personId });
}

export async function endAllSessions(em: EntityManager, personId: string): Promise<void> {
  await kysely(em).deleteFrom('session').where('personId', '=', personId).execute();
}

/** Removes one batch of ended sessions and pending requests. */
export async function removeEndedSessions(em: EntityManager): Promise<number> {
  let removed = 0n;
  for (const table of ['session', 'preSession'] as const) {
    const ended = await kysely(em)
      .deleteFrom(table)
      .where('tokenHash', 'in', ({ selectFrom }) =>
        selectFrom(table).select('tokenHash').where('expiresAt', '<=', NOW).limit(5_000),
      )
      .executeTakeFirst();
    removed += ended.numDeletedRows;
  }
  return Number(removed);
}
