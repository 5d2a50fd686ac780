import { rows, type EntityManager } from '../platform/database.ts';
import { hashCredential, newCredential } from '../platform/ids.ts';

export type Visitor = {
  personId: string;
  handle: string;
  displayName: string;
  email: string;
  isEmailVerified: boolean;
  isOperator: boolean;
};

export type Pending = { returnTo: string | null; clickId: string | null };

const SESSION_DAYS = 30;
const PRE_SESSION_HOURS = 1;

export async function findPasswordHash(
  em: EntityManager,
  email: string,
): Promise<{ personId: string; passwordHash: string | null } | null> {
  const [found] = await rows<{ personId: string; passwordHash: string | null }>(
    em,
    `select id as "personId", password_hash as "passwordHash" from person
     where lower(email) = lower(?) and deleted_at is null`,
    [email],
  );
  return found ?? null;
}

/** Starts a session; the token goes into the cookie, only its hash is kept. */
export async function startSession(em: EntityManager, personId: string): Promise<string> {
  const token = newCredential('gs_');
  await rows(
    em,
    `insert into session (token_hash, person_id, expires_at)
     values (?, ?, gatehouse_now() + ? * interval '1 day')`,
    [hashCredential(token), personId, SESSION_DAYS],
  );
  return token;
}

export async function findVisitor(em: EntityManager, token: string): Promise<Visitor | null> {
  const [found] = await rows<Visitor>(
    em,
    `select p.id as "personId", p.handle, p.display_name as "displayName", p.email,
       p.email_verified_at is not null as "isEmailVerified", p.is_operator as "isOperator"
     from session s join person p on p.id = s.person_id and p.deleted_at is null
     where s.token_hash = ? and s.expires_at > gatehouse_now()`,
    [hashCredential(token)],
  );
  return found ?? null;
}

export async function endSession(em: EntityManager, token: string): Promise<void> {
  await rows(em, 'delete from session where token_hash = ?', [hashCredential(token)]);
}

/** Keeps what a visitor was about to do until they have signed in. */
export async function startPreSession(em: EntityManager, pending: Pending): Promise<string> {
  const token = newCredential('gs_');
  await rows(
    em,
    `insert into pre_session (token_hash, return_to, click_id, expires_at)
     values (?, ?, ?, gatehouse_now() + ? * interval '1 hour')`,
    [hashCredential(token), pending.returnTo, pending.clickId, PRE_SESSION_HOURS],
  );
  return token;
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

/** Takes the pending request away: it is resumed once. */
export async function endPreSession(em: EntityManager, token: string): Promise<void> {
  await rows(em, 'delete from pre_session where token_hash = ?', [hashCredential(token)]);
}

/** Removes sessions and pending requests that are over; bounded. */
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
