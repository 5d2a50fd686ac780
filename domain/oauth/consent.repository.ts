// The request of a consent page, stored until the person has answered it.
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';
import type { AuthorizeRequest } from './authorize-request.ts';

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
