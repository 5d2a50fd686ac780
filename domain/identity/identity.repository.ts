import { countOf, SECOND } from '../limits/rate-window.query.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
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

export const SESSION_DAYS = 30;
const IDLE_HOURS = 12;
const FRESH_MINUTES = 10;
const PRE_SESSION_HOURS = 1;
export const LONGEST_RETURN_TO = 4_096;

/** Starts a session; the cookie holds the token, the row its hash. */
export async function startSession(
  em: EntityManager,
  given: { personId: string; device: string; authenticatedBy?: AuthenticatedBy },
): Promise<string> {
  const { personId, device, authenticatedBy = 'password' } = given;
  const token = newCredential('gs_');
  await rows(
    em,
    `insert into session (token_hash, person_id, device, authenticated_by, last_seen_at, expires_at)
     values (?, ?, ?, ?, date_trunc('minute', gatehouse_now()),
       gatehouse_now() + ? * interval '1 day')`,
    [hashCredential(token), personId, device, authenticatedBy, SESSION_DAYS],
  );
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
  const [found] = await rows<CurrentUser>(
    em,
    `with living as (
       select s.token_hash, s.last_seen_at, s.authenticated_by, s.authenticated_at, p.*
       from session s join person p on p.id = s.person_id and p.deleted_at is null
       where s.token_hash = ? and s.expires_at > gatehouse_now()
         and (s.last_seen_at > gatehouse_now() - ? * interval '1 hour'
           or not (p.is_operator
             or exists (select 1 from team_member m join team t on t.id = m.team_id
               where m.person_id = p.id and t.deleted_at is null)
             or exists (select 1 from product d
               where d.owner_person_id = p.id and d.state = 'listed')))),
     seen as (
       update session set last_seen_at = date_trunc('minute', gatehouse_now())
       where token_hash = (select token_hash from living
         where last_seen_at < date_trunc('minute', gatehouse_now())))
     select id as "personId", handle, display_name as "displayName", image_name as "imageName", email,
       email_verified_at is not null as "isEmailVerified",
       is_operator and not lacks_passkey as "isOperator", lacks_passkey as "lacksPasskey",
       authenticated_by as "authenticatedBy",
       authenticated_at > gatehouse_now() - ? * interval '1 minute' as "isFresh",
       builder_verified_at is not null and email_verified_at is not null as "isVerifiedBuilder"
     from living, lateral (select is_operator and authenticated_by <> 'passkey' and ?
       as lacks_passkey) needed`,
    [hashCredential(token), IDLE_HOURS, FRESH_MINUTES, isPasskeyRequired],
  );
  return found ?? null;
}

export async function endSession(em: EntityManager, token: string): Promise<void> {
  await rows(em, 'delete from session where token_hash = ?', [hashCredential(token)]);
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
  const [found] = await rows<Pending>(
    em,
    `select return_to as "returnTo", click_id as "clickId" from pre_session
     where token_hash = ? and expires_at > gatehouse_now()`,
    [hashCredential(token)],
  );
  return found ?? null;
}

/** Deletes the pending request: it is resumed once. */
export async function endPreSession(em: EntityManager, token: string): Promise<void> {
  await rows(em, 'delete from pre_session where token_hash = ?', [hashCredential(token)]);
}

/** Removes one batch of ended sessions and pending requests. */
export async function removeEndedSessions(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `with ended as (
       delete from session where token_hash in (
         select token_hash from session where expires_at <= gatehouse_now() limit 5000) returning 1),
     unfinished as (
       delete from pre_session where token_hash in (
         select token_hash from pre_session where expires_at <= gatehouse_now() limit 5000) returning 1)
     select 1 as removed from ended union all select 1 from unfinished`,
  );
  return removed.length;
}
