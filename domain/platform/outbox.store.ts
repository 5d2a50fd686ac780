import type { Actor } from './actors.ts';
import { rows, type EntityManager } from './database.ts';
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

/** Locks the oldest unsent messages of a lane for this transaction; those another relay holds are skipped. */
export async function lockUnsent(
  em: EntityManager,
  lane: { workflowType: string; limit: number },
): Promise<OutboxMessage[]> {
  return rows<OutboxMessage>(
    em,
    `select id::text as id, workflow_id as "workflowId", message from outbox
     where workflow_type = ? and sent_at is null and parked_at is null
     order by id limit ? for update skip locked`,
    [lane.workflowType, lane.limit],
  );
}

export async function markSent(em: EntityManager, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(em, 'update outbox set sent_at = gatehouse_now() where id = any(?::bigint[])', [
    `{${ids.join(',')}}`,
  ]);
}

/** Counts a refusal by Temporal for the message's own sake; after the tenth it is parked for a human. */
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
