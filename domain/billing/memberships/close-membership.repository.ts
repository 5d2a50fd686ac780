import { withdrawAlerts } from '../../alerts/alert.repository.ts';
import { recordMembershipChange } from '../../entitlements/memberships/membership.repository.ts';
import { membershipActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';

/**
 * Ends the memberships of a deleted account here at once; their workflows end them at the
 * processor. A refund that came back has nobody to serve.
 */
export async function closeMembershipsOf(em: EntityManager, personId: string): Promise<void> {
  const closed = await rows<{ id: string }>(
    em,
    `update membership set status = 'ended', ended_at = gatehouse_now(), requested_change = null,
       ends_at = least(ends_at, gatehouse_now()), is_closing = processor_id is not null,
       ask_again_at = case when price_id is not null then gatehouse_now() + interval '1 hour' end
     where id in (
       select id from membership
       where person_id = ? and (status <> 'ended' or ends_at > gatehouse_now())
       order by id for update) returning id`,
    [personId],
  );
  for (const { id } of closed) {
    await recordMembershipChange(em, { membershipId: id, reason: 'withdrawn' });
    await sendToActor(em, membershipActor(id), { kind: 'close' });
  }
}

/**
 * A checkout came to nothing: its session ended or was never opened, it was replaced, or the person
 * is gone. Nobody asks the processor again.
 */
export async function abandonMembership(
  em: EntityManager,
  { membershipId, sequence }: { membershipId: string; sequence: number },
): Promise<void> {
  await rows(
    em,
    `update membership set status = 'ended', ended_at = coalesce(ended_at, gatehouse_now()),
       ends_at = coalesce(ends_at, gatehouse_now()), ask_again_at = null, applied_sequence = ?
     where id = ? and status in ('incomplete', 'ended') and processor_id is null
       and applied_sequence < ?`,
    [sequence, membershipId, sequence],
  );
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: membershipId });
}

/** Nothing is paid yet. */
export async function keepAsking(em: EntityManager, membershipId: string): Promise<void> {
  await rows(
    em,
    `update membership set ask_again_at = gatehouse_now() + interval '1 hour'
     where id = ? and status = 'incomplete'`,
    [membershipId],
  );
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: membershipId });
}
