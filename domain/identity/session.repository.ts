import { rows, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';
import { holdPerson, lockPerson } from './account.repository.ts';
import { SESSION_DAYS } from './identity.repository.ts';
import type { AuthenticatedBy } from './session.entity.ts';

export type SessionView = {
  id: string;
  device: string;
  createdAt: Date;
  lastSeenAt: Date;
  isCurrent: boolean;
};

/** The live sessions of a person, the latest seen first. */
export async function listSessions(
  em: EntityManager,
  { personId, token }: { personId: string; token: string },
): Promise<SessionView[]> {
  const found = await rows<SessionView>(
    em,
    `select id, device, created_at as "createdAt", last_seen_at as "lastSeenAt",
       token_hash = ? as "isCurrent"
     from session where person_id = ? and expires_at > gatehouse_now()
     order by last_seen_at desc, id limit 100`,
    [hashCredential(token), personId],
  );
  return found.map((session) => ({
    ...session,
    createdAt: new Date(session.createdAt),
    lastSeenAt: new Date(session.lastSeenAt),
  }));
}

const REPLACED_SECONDS = 10;

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
  const made = await rows(
    em,
    `with old as (
       select * from session where token_hash = ? and expires_at > gatehouse_now() for update),
     replaced as (
       update session s
       set expires_at = least(s.expires_at, gatehouse_now() + ? * interval '1 second')
       from old where s.token_hash = old.token_hash)
     insert into session (token_hash, person_id, created_at, last_seen_at, device, expires_at,
       authenticated_by)
     select ?, person_id, created_at, last_seen_at, device, created_at + ? * interval '1 day',
       case when authenticated_by = 'passkey' then 'passkey' else ? end
     from old returning 1`,
    [
      hashCredential(token),
      REPLACED_SECONDS,
      hashCredential(renewed),
      SESSION_DAYS,
      authenticatedBy,
    ],
  );
  return made.length > 0 ? renewed : null;
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

/** The same for a change that adds to what others read: many may hold the person at once. */
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
  const found = await rows(
    em,
    `select 1 from session
     where token_hash = ? and person_id = ? and expires_at > gatehouse_now()`,
    [token === null ? null : hashCredential(token), personId],
  );
  return found.length > 0;
}

/** True for the first sign-in of a person with a confirmed address. */
export async function recordFirstSignIn(em: EntityManager, personId: string): Promise<boolean> {
  const recorded = await rows(
    em,
    `update person set first_signed_in_at = gatehouse_now()
     where id = ? and first_signed_in_at is null and email_verified_at is not null returning 1`,
    [personId],
  );
  return recorded.length > 0;
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
  const found =
    'passwordHash' in credential
      ? await rows(
          em,
          // Compares digests, so the hash itself is in no statement.
          `select 1 from person where id = ? and sha256(convert_to(password_hash, 'UTF8')) = ?`,
          [personId, hashCredential(credential.passwordHash)],
        )
      : await rows(
          em,
          `select 1 from passkey k join person p on p.id = k.person_id
           where p.id = ? and k.credential_id = ?
             and not (k.is_unproven and p.email_verified_at is not null)`,
          [personId, credential.credentialId],
        );
  return found.length > 0;
}

export async function endSessionById(
  em: EntityManager,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<void> {
  await rows(em, 'delete from session where id = ? and person_id = ?', [sessionId, personId]);
}

export async function endAllSessions(em: EntityManager, personId: string): Promise<void> {
  await rows(em, 'delete from session where person_id = ?', [personId]);
}
