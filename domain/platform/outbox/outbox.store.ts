import type { Actor } from './actors.ts';
import { rows, type EntityManager } from '../database.ts';
import { Outbox } from './outbox.entity.ts';

export type OutboxMessage = {
  id: string;
  workflowId: string;
  message: Record<string, unknown>;
};

/** Queues a message to an actor in the transaction of the change it tells of. */
export async function sendToActor(
  em: EntityManager,
  actor: Actor,
  message: Record<string, unknown>,
): Promise<void> {
  await em.insert(Outbox, { ...actor, message });
}

// Longer than a batch takes to send; a relay that dies with it delays its messages by so much.
const LEASE_S = 10;

/** Leases the oldest unsent messages of a lane: no other relay takes them until the lease is over. */
export async function claimUnsent(
  em: EntityManager,
  lane: { workflowType: string; limit: number },
): Promise<OutboxMessage[]> {
  return rows<OutboxMessage>(
    em,
    `update outbox o set lease_until = gatehouse_now() + ? * interval '1 second'
     from (select id from outbox
       where workflow_type = ? and sent_at is null and parked_at is null
         and (lease_until is null or lease_until <= gatehouse_now())
       order by id limit ? for update skip locked) due
     where o.id = due.id
     returning o.id::text as id, o.workflow_id as "workflowId", o.message`,
    [LEASE_S, lane.workflowType, lane.limit],
  );
}

export async function markSent(em: EntityManager, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    em,
    `update outbox set sent_at = gatehouse_now(), lease_until = null where id = any(?::bigint[])`,
    [`{${ids.join(',')}}`],
  );
}

/** Gives messages back that could not be sent, through no fault of theirs. */
export async function releaseUnsent(em: EntityManager, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(em, 'update outbox set lease_until = null where id = any(?::bigint[])', [
    `{${ids.join(',')}}`,
  ]);
}

/**
 * Counts a refusal by Temporal for the message's own sake; after the tenth it is parked for a
 * human. The lease stays: it is the pause before the next try.
 */
export async function recordRefusal(
  em: EntityManager,
  refusal: { id: string; error: string },
): Promise<{ isParked: boolean }> {
  const [row] = await rows<{ parked: boolean }>(
    em,
    `update outbox set refusals = refusals + 1, last_error = ?,
       parked_at = case when refusals + 1 >= 10 then gatehouse_now() end
     where id = ? returning parked_at is not null as parked`,
    [refusal.error.slice(0, 500), refusal.id],
  );
  return { isParked: row?.parked ?? false };
}

/** Unsent messages and the age of the oldest, in seconds, per lane. */
export async function readOutboxLag(
  em: EntityManager,
): Promise<{ workflowType: string; waiting: number; oldestS: number }[]> {
  return rows(
    em,
    `select workflow_type as "workflowType", count(*)::int as waiting,
       extract(epoch from gatehouse_now() - min(created_at))::float as "oldestS"
     from outbox where sent_at is null and parked_at is null group by workflow_type`,
  );
}
