// The request of a consent page, the code that answers it, and the token for the code.
import type pg from 'pg';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, isWellFormedCredential, newCredential } from '../shared/ids.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { isRegistered, type ClientKind } from './clients/redirect-uri.ts';
import { CODE_SECONDS } from './tokens/lifetimes.ts';

const PENDING_SECONDS = 3_600;
/** How long the same answer may come again: of two clicks the browser follows the second. */
const REPEAT_SECONDS = 10;

/** Stores the request of a consent page; the page's form carries the token alone. */
export async function keepRequest(
  em: EntityManager,
  personId: string,
  request: AuthorizeRequest,
): Promise<string> {
  const token = newCredential('gs_');
  const { clientId, redirectUri, scopes, state, challenge } = request;
  await rows(
    em,
    `insert into pending_authorization (token_hash, person_id, client_id, redirect_uri, scope, state, challenge)
     values (?, ?, ?, ?, ?, ?, ?)`,
    [hashCredential(token), personId, clientId, redirectUri, scopes.join(' '), state, challenge],
  );
  return token;
}

export type KeptRequest = {
  clientId: string;
  redirectUri: string;
  scope: string;
  state: string | null;
  challenge: string | null;
  /** The same session gave the same answer a moment ago. */
  isRepeated: boolean;
};

export type ConsentAnswer = {
  personId: string;
  /** The session cookie of the answer. */
  session: string;
  token: string;
  decision: 'allow' | 'deny';
};

/**
 * Settles the request in one statement: a consent page has one answer, from the person who saw it.
 * Null when it was answered otherwise, elsewhere or longer ago.
 */
export async function settleRequest(
  em: EntityManager,
  { personId, session, token, decision }: ConsentAnswer,
): Promise<KeptRequest | null> {
  const settledBy = hashCredential(session);
  const [found] = await rows<KeptRequest>(
    em,
    `update pending_authorization set decision = ?, settled_by = ?,
       settled_at = coalesce(settled_at, gatehouse_now())
     where token_hash = ? and person_id = ? and created_at > gatehouse_now() - ? * interval '1 second'
       and (settled_at is null or (decision = ? and settled_by = ?
         and settled_at > gatehouse_now() - ? * interval '1 second'))
     returning client_id as "clientId", redirect_uri as "redirectUri", scope, state, challenge,
       old.settled_at is not null as "isRepeated"`,
    [
      decision,
      settledBy,
      hashCredential(token),
      personId,
      PENDING_SECONDS,
      decision,
      settledBy,
      REPEAT_SECONDS,
    ],
  );
  return found ?? null;
}

/** The request that the code is for. */
export type CodeRequest = Pick<KeptRequest, 'clientId' | 'redirectUri' | 'scope' | 'challenge'>;

export async function writeCode(
  em: EntityManager,
  personId: string,
  { clientId, redirectUri, scope, challenge }: CodeRequest,
): Promise<string> {
  const code = newCredential('gac_');
  await rows(
    em,
    `insert into authorization_code (code_hash, client_id, person_id, redirect_uri, scope, challenge)
     values (?, ?, ?, ?, ?, ?)`,
    [hashCredential(code), clientId, personId, redirectUri, scope, challenge],
  );
  return code;
}

/** RFC 7009: a client revokes a token of its own; other tokens stay. */
export async function revokeToken(
  pool: pg.Pool,
  given: { token: string; clientId: string },
): Promise<void> {
  if (!isWellFormedCredential(given.token, 'gat_')) return;
  await pool.query(
    `update access_token set revoked_at = gatehouse_now()
     where token_hash = $1 and client_id = $2 and revoked_at is null`,
    [hashCredential(given.token), given.clientId],
  );
}

/** Deletes unused codes of redirect URIs that are no longer registered. */
export async function removeStrayCodes(
  em: EntityManager,
  clientId: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): Promise<void> {
  const unused = `client_id = ? and consumed_at is null
    and created_at > gatehouse_now() - interval '${CODE_SECONDS} seconds'`;
  const named = await rows<{ uri: string }>(
    em,
    `select distinct redirect_uri as uri from authorization_code where ${unused}`,
    [clientId],
  );
  const strays = named.map(({ uri }) => uri).filter((uri) => !isRegistered(uri, client));
  if (strays.length === 0) return;
  await rows(
    em,
    `delete from authorization_code
     where ${unused} and redirect_uri in (select jsonb_array_elements_text(?::jsonb))`,
    [clientId, JSON.stringify(strays)],
  );
}

// A used code is kept as long as its token lives: a replay must still end that token.
const REMOVALS = [
  `delete from pending_authorization where token_hash in (
     select token_hash from pending_authorization
     where created_at <= gatehouse_now() - interval '1 hour' limit 5000) returning 1`,
  `delete from authorization_code where code_hash in (
     select code_hash from authorization_code
     where created_at <= gatehouse_now() - interval '30 days'
       or (consumed_at is null and created_at between
         gatehouse_now() - interval '1 day' and gatehouse_now() - interval '1 hour')
     limit 5000) returning 1`,
  `delete from access_token where token_hash in (
     select token_hash from access_token
     where expires_at <= gatehouse_now() - interval '30 days' limit 5000) returning 1`,
];

/** Removes one batch of requests, codes and tokens without an effect. */
export async function removeDeadAuthorizations(em: EntityManager): Promise<number> {
  let removed = 0;
  for (const removal of REMOVALS) removed += (await rows(em, removal)).length;
  return removed;
}
