import { countOf, SECOND } from '../limits/rate-window.query.ts';
import { sql } from 'kysely';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { ago, fromNow, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';
import type { AuthenticatedBy } from './session.entity.ts';

export type CurrentUser = {
  personId: string;
  handle: string;
  displayName: string;
  /** Null when the picture is the drawn one. */
  imageName: string | null;
  email: string;
  isEmailVerified: boolean;
  /** The person may run the platform in this session. */
  isOperator: boolean;
  /** The person becomes an operator when this session is proved with a passkey. */
  lacksPasskey: boolean;
  authenticatedBy: AuthenticatedBy;
  /** The last proof is within the last minutes. */
  isFresh: boolean;
  /** Approved by an operator, with a confirmed address. */
  isVerifiedBuilder: boolean;
};

export type Pending = { returnTo: string | null; clickId: string | null };

export const SESSION_LIFETIME = '30 days';
const IDLE = '12 hours';
const FRESH = '10 minutes';
const THIS_MINUTE = sql<Date>`date_trunc('minute', ${NOW})`;
const PRE_SESSION_HOURS = 1;
export const LONGEST_RETURN_TO = 4_096;

/** Starts a session; the cookie holds the token, the row its hash. */
export async function startSession(
  em: EntityManager,
  given: { personId: string; device: string; authenticatedBy?: AuthenticatedBy },
): Promise<string> {
  const { personId, device, authenticatedBy = 'password' } = given;
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

/**
 * Finds the person of a live session and records the visit once a minute. A session that can harm
 * others ends when it is idle.
 */
export async function findCurrentUser(
  em: EntityManager,
  { token, isPasskeyRequired }: { token: string; isPasskeyRequired: boolean },
): Promise<CurrentUser | null> {
  const found = await kysely(em)
    .with('living', () => livingSession(em, token))
    .with('seen', (query) =>
      query
        .updateTable('session')
        .set({ lastSeenAt: THIS_MINUTE })
        .where('tokenHash', '=', ({ selectFrom }) =>
          selectFrom('living').select('tokenHash').where('lastSeenAt', '<', THIS_MINUTE),
        ),
    )
    .selectFrom('living')
    .select(['personId', 'handle', 'displayName', 'imageName', 'email', 'isOperator'])
    .select(['authenticatedBy', 'isFresh', 'isEmailVerified', 'isVerifiedBuilder'])
    .executeTakeFirst();
  if (!found) return null;
  const { isOperator, authenticatedBy } = found;
  const lacksPasskey = isOperator && authenticatedBy !== 'passkey' && isPasskeyRequired;
  return { ...found, isOperator: isOperator && !lacksPasskey, lacksPasskey };
}

const livingSession = (em: EntityManager, token: string) =>
  kysely(em)
    .selectFrom('session')
    .innerJoin('person', 'person.id', 'session.personId')
    .select(['session.tokenHash', 'session.lastSeenAt', 'session.authenticatedBy'])
    .select(['person.id as personId', 'person.handle', 'person.displayName', 'person.imageName'])
    .select(['person.email', 'person.isOperator'])
    .select(({ eb, and }) => [
      eb('session.authenticatedAt', '>', ago(FRESH)).$castTo<boolean>().as('isFresh'),
      eb('person.emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isEmailVerified'),
      and([
        eb('person.builderVerifiedAt', 'is not', null),
        eb('person.emailVerifiedAt', 'is not', null),
      ])
        .$castTo<boolean>()
        .as('isVerifiedBuilder'),
    ])
    .where('person.deletedAt', 'is', null)
    .where('session.tokenHash', '=', hashCredential(token))
    .where('session.expiresAt', '>', NOW)
    .where(({ or, not, eb, exists, selectFrom }) =>
      or([
        eb('session.lastSeenAt', '>', ago(IDLE)),
        not(
          or([
            eb('person.isOperator', '=', true),
            exists(
              selectFrom('teamMember')
                .innerJoin('team', 'team.id', 'teamMember.teamId')
                .select('team.id')
                .whereRef('teamMember.personId', '=', 'person.id')
                .where('team.deletedAt', 'is', null),
            ),
            exists(
              selectFrom('product')
                .select('product.id')
                .whereRef('product.ownerPersonId', '=', 'person.id')
                .where('product.state', '=', 'listed'),
            ),
          ]),
        ),
      ]),
    );

export async function endSession(em: EntityManager, token: string): Promise<void> {
  await kysely(em).deleteFrom('session').where('tokenHash', '=', hashCredential(token)).execute();
}

type NewPreSession = {
  /** Made here unless given. */
  token?: string | undefined;
  pending: Pending;
  bucket: string;
  limit: number;
};

/**
 * Stores where a visitor continues after sign-in; the limit counts by address. Null when the
 * address has reached it.
 */
export async function startPreSession(
  em: EntityManager,
  { token = newCredential('gs_'), pending, bucket, limit }: NewPreSession,
): Promise<string | null> {
  const kept = await rows(
    em,
    `with counted as (${countOf(`select ?::text as bucket, 1 as n, ${SECOND} as second`)})
     insert into pre_session (token_hash, return_to, click_id, expires_at)
     select ?::bytea, ?::text, ?::uuid, gatehouse_now() + ? * interval '1 hour'
     from counted where n <= ? returning 1`,
    [
      bucket,
      hashCredential(token),
      toKeepable(pending.returnTo),
      pending.clickId,
      PRE_SESSION_HOURS,
      limit,
    ],
  );
  return kept.length > 0 ? token : null;
}

/** A longer target loses its query. */
function toKeepable(returnTo: string | null): string | null {
  if (returnTo === null || returnTo.length <= LONGEST_RETURN_TO) return returnTo;
  const [path = ''] = returnTo.split('?');
  return path.length <= LONGEST_RETURN_TO ? path : null;
}

export async function findPending(em: EntityManager, token: string): Promise<Pending | null> {
  const found = await kysely(em)
    .selectFrom('preSession')
    .select(['returnTo', 'clickId'])
    .where('tokenHash', '=', hashCredential(token))
    .where('expiresAt', '>', NOW)
    .executeTakeFirst();
  return found ?? null;
}

/** Deletes the pending request: it is resumed once. */
export async function endPreSession(em: EntityManager, token: string): Promise<void> {
  await kysely(em)
    .deleteFrom('preSession')
    .where('tokenHash', '=', hashCredential(token))
    .execute();
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
