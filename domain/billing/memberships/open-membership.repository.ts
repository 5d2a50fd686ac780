import { IS_RUNNING } from '../../entitlements/memberships/membership.repository.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { MemberPriceView } from './member-price.repository.ts';

export type OpenMembership = {
  membershipId: string;
  priceId: string;
  sessionId: string | null;
  sessionUrl: string | null;
};

const OPEN = `select id as "membershipId", price_id as "priceId", session_id as "sessionId",
    session_url as "sessionUrl"
  from membership where person_id = ? and status = 'incomplete'`;

export async function findOpenMembership(
  em: EntityManager,
  personId: string,
): Promise<OpenMembership | null> {
  return (await rows<OpenMembership>(em, OPEN, [personId]))[0] ?? null;
}

/**
 * Commits the intent to subscribe on the current terms. Null when another request of the same
 * person was first: a unique index decides. When two memberships begin at the same moment, another
 * index refuses the second, and its money is refunded.
 */
export async function openMembership(
  em: EntityManager,
  { personId, price }: { personId: string; price: MemberPriceView },
): Promise<OpenMembership | null | Refusal<'already_member'>> {
  if (!(await holdPerson(em, personId)) || (await isRunning(em, personId))) {
    return refuse('already_member');
  }
  const { priceId, amountMinor, currency, billingInterval } = price;
  const [opened] = await rows<{ id: string }>(
    em,
    `insert into membership
       (id, person_id, status, price_id, amount_minor, currency, billing_interval, ask_again_at)
     values (?, ?, 'incomplete', ?, ?, ?, ?, gatehouse_now() + interval '10 minutes')
     on conflict (person_id) where status = 'incomplete' do nothing returning id`,
    [newUuid(), personId, priceId, amountMinor, currency, billingInterval],
  );
  if (!opened) return null;
  return { membershipId: opened.id, priceId, sessionId: null, sessionUrl: null };
}

export async function isRunning(em: EntityManager, personId: string): Promise<boolean> {
  const running = `select 1 from membership m where m.person_id = ? and ${IS_RUNNING}`;
  return (await rows(em, running, [personId])).length > 0;
}

/** False when another checkout replaced it meanwhile; the session is stored all the same. */
export async function attachMemberSession(
  em: EntityManager,
  membershipId: string,
  session: { sessionId: string; url: string; expiresAt: Date },
): Promise<boolean> {
  const [attached] = await rows<{ isOpen: boolean }>(
    em,
    `update membership set session_id = coalesce(session_id, ?),
       session_url = coalesce(session_url, ?), session_expires_at = ?,
       ask_again_at = gatehouse_now() + interval '1 hour'
     where id = ? returning status = 'incomplete' as "isOpen"`,
    [session.sessionId, session.url, session.expiresAt, membershipId],
  );
  return attached?.isOpen === true;
}

/** Makes place for another checkout; money that comes all the same is refunded. */
export async function replaceMembership(
  em: EntityManager,
  { membershipId, sessionId }: OpenMembership,
): Promise<void> {
  await rows(
    em,
    `update membership set status = 'ended', ended_at = gatehouse_now(), ends_at = gatehouse_now()
     where id = ? and status = 'incomplete' and session_id is not distinct from ?`,
    [membershipId, sessionId],
  );
}
