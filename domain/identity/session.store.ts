import { rows, type EntityManager } from '../platform/database.ts';
import { hashCredential } from '../platform/ids.ts';

export type SessionView = {
  id: string;
  device: string;
  createdAt: Date;
  lastSeenAt: Date;
  isCurrent: boolean;
};

/** The living sessions of a person, the latest seen first. */
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

const FRESH_MINUTES = 10;

/** Whether somebody has signed in here just now. */
export async function isSessionFresh(em: EntityManager, token: string): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from session
     where token_hash = ? and created_at > gatehouse_now() - ? * interval '1 minute'`,
    [hashCredential(token), FRESH_MINUTES],
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
