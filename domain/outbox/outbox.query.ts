// Writes, claims and counts the messages to workflows.
import type pg from 'pg';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { Actor, Priority } from './actors.ts';

export type OutboxMessage = Actor & {
  id: string;
  /** Temporal serves the keys of a priority in turn. */
  fairnessKey: string | null;
  message: Record<string, unknown>;
};

/** SQL: the owner of a product, as the fairness key of what happens for it. */
export const ownerOf = (productId: string) =>
  `(select coalesce(owner_team_id, owner_person_id)::text from product where id = ${productId})`;

// Each actor of a product names it in its input, or names a row that does.
const OWNER = ownerOf(`coalesce((input->>'productId')::uuid,
  (select product_id from purchase where id = input->>'purchaseId'),
  (select product_id from subscription where id = input->>'subscriptionId'),
  (select product_id from delivery_state where delivery_id = input->>'deliveryId'),
  (select product_id from delivery_state where cohort = input->>'cohort' limit 1),
  (select product_id from recovery where id = (input->>'recoveryId')::uuid))`);

/** Queues the same message to many workflows in the transaction of its change. */
export async function insertMessages(
  em: EntityManager,
  actors: readonly Actor[],
  message: Record<string, unknown>,
): Promise<void> {
  await rows(
    em,
    `insert into outbox (workflow_type, workflow_id, input, priority, fairness_key, message)
     select type, workflow_id, input, priority, ${OWNER}, ?::jsonb
     from unnest(?::text[], ?::text[], ?::jsonb[], ?::int[])
       with ordinality actor (type, workflow_id, input, priority, place)
     order by place`,
    [
      JSON.stringify(message),
      actors.map(({ workflowType }) => workflowType),
      actors.map(({ workflowId }) => workflowId),
      actors.map(({ input }) => JSON.stringify(input)),
      actors.map(({ priority }) => priority),
    ],
  );
}

const IS_UNSENT = 'sent_at is null and dead_lettered_at is null';

// Longer than a batch takes to send; a publisher that dies delays its messages by so much.
const LEASE_S = 10;

const CLAIM = `
  update outbox set lease_until = gatehouse_now() + interval '${LEASE_S} seconds'
  where id = any(array(
    select id from outbox
    where ${IS_UNSENT} and priority = any($1::int[])
      and (lease_until is null or lease_until <= gatehouse_now())
    order by priority, id limit $2 for update skip locked))
  returning id::text, workflow_type as "workflowType", workflow_id as "workflowId", input, priority,
    fairness_key as "fairnessKey", message`;

/**
 * Leases the next unsent messages of these priorities, in the order of priority and id: no other
 * publisher takes them meanwhile.
 */
export async function claimUnsent(
  pool: pg.Pool,
  { priorities, limit }: { priorities: Priority[]; limit: number },
): Promise<OutboxMessage[]> {
  if (limit <= 0) return [];
  const claim = { name: 'claim_unsent', text: CLAIM, values: [priorities, limit] };
  const { rows: claimed } = await pool.query<OutboxMessage>(claim);
  return claimed.sort(
    (one, other) => one.priority - other.priority || Number(BigInt(one.id) - BigInt(other.id)),
  );
}

/** True while the same message to a workflow of this type waits to be sent. */
export async function isMessageWaiting(
  em: EntityManager,
  { priority, workflowType }: Actor,
  message: Record<string, unknown>,
): Promise<boolean> {
  const found = await rows(
    em,
    `select from outbox where ${IS_UNSENT} and priority = ? and workflow_type = ?
       and message = ?::jsonb limit 1`,
    [priority, workflowType, JSON.stringify(message)],
  );
  return found.length > 0;
}

const MARK_SENT = `update outbox set sent_at = gatehouse_now(), lease_until = null
  where id = any($1::bigint[])`;

export async function markSent(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await pool.query({ name: 'mark_sent', text: MARK_SENT, values: [ids] });
}

// The count of a priority stops here.
const MOST_COUNTED = 10_000;

/**
 * The number of unsent messages of each priority, up to a bound, and the age of the oldest in
 * seconds.
 */
export async function readOutboxLag(
  em: EntityManager,
  priorities: readonly Priority[],
): Promise<{ priority: Priority; waiting: number; oldestS: number }[]> {
  return rows(
    em,
    `select queue.priority, unsent.waiting,
       coalesce(extract(epoch from gatehouse_now() - unsent.oldest), 0)::float as "oldestS"
     from unnest(?::int[]) as queue (priority) cross join lateral (
       select count(*)::int as waiting, min(created_at) as oldest from (
         select created_at from outbox
         where priority = queue.priority and ${IS_UNSENT} order by id limit ${MOST_COUNTED}
       ) counted
     ) unsent`,
    [priorities],
  );
}
