// The request of a consent page, the code that answers it, and the token for the code.
import { sql, type ExpressionBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, NOW } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { hashCredential, isWellFormedCredential, newCredential } from '../shared/ids.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { type ClientKind } from './clients/redirect-uri.ts';
import { isRegistered } from './registered-redirect.ts';
import { CODE_SECONDS } from './tokens/lifetimes.ts';

const PENDING = '1 hour';
/** How long the same answer may come again: of two clicks the browser follows the second. */
const REPEAT = '10 seconds';
const CODE_LIFETIME = `${CODE_SECONDS} seconds`;

/** Stores the request of a consent page; the page's form carries the token alone. */
export async function keepRequest(
  em: EntityManager,
  personId: string,
  { scopes, ...request }: AuthorizeRequest,
): Promise<string> {
  const token = newCredential('gs_');
  await kysely(em)
    .insertInto('pendingAuthorization')
    .values({
      ...request,
      tokenHash: hashCredential(token),
      personId,
      scope: scopes.join(' '),
    })
    .execute();
  return token;
}

export type ConsentAnswer = {
  personId: string;
  /** The session cookie of the answer. */
  session: string;
  token: string;
  decision: 'allow' | 'deny';
};

/**
 * Settles the request in one statement: a consent page has one answer, from the person who saw it.
 * Null when it was answered otherwise, elsewhere or longer ago. `isRepeated`: the same session gave
 * the same answer a moment ago.
 */
export async function consumeRequest(
  em: EntityManager,
  { personId, session, token, decision }: ConsentAnswer,
) {
  const settledBy = hashCredential(session);
  const settled = await kysely(em)
    .updateTable('pendingAuthorization')
    .set(({ fn }) => ({ decision, settledBy, settledAt: fn.coalesce('settledAt', NOW) }))
    .where('tokenHash', '=', hashCredential(token))
    .where('personId', '=', personId)
    .where('createdAt', '>', ago(PENDING))
    .where(({ eb, and, or }) =>
      or([
        eb('settledAt', 'is', null),
        and([
          eb('decision', '=', decision),
          eb('settledBy', '=', settledBy),
          eb('settledAt', '>', ago(REPEAT)),
        ]),
      ]),
    )
    .returning(['clientId', 'redirectUri', 'scope', 'state', 'challenge'])
    .returning(sql<boolean>`old.settled_at is not null`.as('isRepeated'))
    .executeTakeFirst();
  return settled ?? null;
}

type KeptRequest = NonNullable<Awaited<ReturnType<typeof consumeRequest>>>;

/** The request that the code is for. */
export type CodeRequest = Pick<KeptRequest, 'clientId' | 'redirectUri' | 'scope' | 'challenge'>;

export async function writeCode(
  em: EntityManager,
  personId: string,
  { clientId, redirectUri, scope, challenge }: CodeRequest,
): Promise<string> {
  const code = newCredential('gac_');
  await kysely(em)
    .insertInto('authorizationCode')
    .values({
      codeHash: hashCredential(code),
      clientId,
      personId,
      redirectUri,
      scope,
      challenge,
    })
    .execute();
  return code;
}

/** RFC 7009: a client revokes a token of its own; other tokens stay. */
export async function revokeToken(
  em: EntityManager,
  { token, clientId }: { token: string; clientId: string },
): Promise<void> {
  if (!isWellFormedCredential(token, 'gat_')) return;
  await kysely(em)
    .updateTable('accessToken')
    .set({ revokedAt: NOW })
    .where('tokenHash', '=', hashCredential(token))
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null)
    .execute();
}

/** Deletes unused codes of redirect URIs that are no longer registered. */
export async function removeStrayCodes(
  em: EntityManager,
  clientId: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): Promise<void> {
  const unused = await kysely(em)
    .selectFrom('authorizationCode')
    .select('redirectUri')
    .distinct()
    .where(isUnusedCodeOf(clientId))
    .execute();
  const uris = unused.map(({ redirectUri }) => redirectUri);
  const strays = uris.filter((uri) => !isRegistered(uri, client));
  if (strays.length === 0) return;
  await kysely(em)
    .deleteFrom('authorizationCode')
    .where(isUnusedCodeOf(clientId))
    .where('redirectUri', 'in', strays)
    .execute();
}

const isUnusedCodeOf =
  (clientId: string) =>
  ({ eb, and }: ExpressionBuilder<Tables, 'authorizationCode'>) =>
    and([
      eb('clientId', '=', clientId),
      eb('consumedAt', 'is', null),
      eb('createdAt', '>', ago(CODE_LIFETIME)),
    ]);

const BATCH = 5_000;

/** Removes one batch of requests, codes and tokens without an effect. */
export async function removeDeadAuthorizations(em: EntityManager): Promise<number> {
  const removals = [removeOldRequests(em), removeOldCodes(em), removeOldTokens(em)];
  let removed = 0;
  for (const removal of removals) {
    removed += Number((await removal.executeTakeFirst()).numDeletedRows);
  }
  return removed;
}

const removeOldRequests = (em: EntityManager) =>
  kysely(em)
    .deleteFrom('pendingAuthorization')
    .where('tokenHash', 'in', ({ selectFrom }) =>
      selectFrom('pendingAuthorization')
        .select('tokenHash')
        .where('createdAt', '<=', ago(PENDING))
        .limit(BATCH),
    );

// A used code is kept as long as its token lives: a replay must still end that token.
const removeOldCodes = (em: EntityManager) =>
  kysely(em)
    .deleteFrom('authorizationCode')
    .where('codeHash', 'in', ({ selectFrom }) =>
      selectFrom('authorizationCode')
        .select('codeHash')
        .where(({ eb, and, or, between }) =>
          or([
            eb('createdAt', '<=', ago('30 days')),
            and([eb('consumedAt', 'is', null), between('createdAt', ago('1 day'), ago('1 hour'))]),
          ]),
        )
        .limit(BATCH),
    );

const removeOldTokens = (em: EntityManager) =>
  kysely(em)
    .deleteFrom('accessToken')
    .where('tokenHash', 'in', ({ selectFrom }) =>
      selectFrom('accessToken')
        .select('tokenHash')
        .where('expiresAt', '<=', ago('30 days'))
        .limit(BATCH),
    );
