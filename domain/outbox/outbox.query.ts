// Writes, claims and counts the messages to workflows.
import type pg from 'pg';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { WorkflowTarget, Priority } from './workflow-targets.ts';

export type OutboxMessage = WorkflowTarget & {
  id: string;
  /** Temporal serves the keys of a priority in turn. */
  fairnessKey: string | null;
  message: Record<string, unknown>;
};

/** SQL: the owner of a product, as the fairness key of what happens for it. */
export const ownerOf = (productId: string) =>
  `(select coalesce(owner_team_id, owner_person_id)::text from product where id = ${productId})`;

// Each workflow of a product names it in its input, or names a row that does; a payout of the pool is
// its owner's.
const OWNER = `coalesce(${ownerOf(`coalesce((input->>'productId')::uuid,
  (select product_id from purchase where id = input->>'purchaseId'),
  (select product_id from subscription where id = input->>'subscriptionId'),
  (select product_id from delivery_state where delivery_id = input->>'deliveryId'),
  (select product_id from delivery_state where cohort = input->>'cohort' limit 1),
  (select product_id from recovery where id = (input->>'recoveryId')::uuid),
  (select product_id from listing_import where id = (input->>'importId')::uuid))`)},
  (select coalesce(team_id, person_id)::text from pool_payout where id = input->>'payoutId'))`;

/** Queues the same message to many workflows in the transaction of its change. */
export async function insertMessages(
  em: EntityManager,
  targets: readonly WorkflowTarget[],
  message: Record<string, unknown>,
): Promise<void> {
  await rows(
    em,
    `insert into outbox (workflow_type, workflow_id, input, priority, fairness_key, message)
     select type, workflow_id, input, priority, ${OWNER}, ?::jsonb
     from unnest(?::text[], ?::text[], ?::jsonb[], ?::int[])
       with ordinality target (type, workflow_id, input, priority, place)
     order by place`,
    [
      JSON.stringify(message),
      targets.map(({ workflowType }) => workflowType),
      targets.map(({ workflowId }) => workflowId),
      targets.map(({ input }) => JSON.stringify(input)),
      targets.map(({ priority }) => priority),
    ],
  );
}

const IS_UNSENT = 'sent_at is null and dead_lettered_at is null';

// Longer than a batch takes to send; a publisher that dies delays its messages by so much.
const LEASE_S = 10;

const CLAIM = `
  update outbox set lease_until = gatehouse_now() + interval '${LEASE_S} seconds'
  where id = any(array(
    select next.id from unnest($1::int[], $2::int[]) as queue (priority, most)
    cross join lateral (
      select id from outbox
      where ${IS_UNSENT} and priority = queue.priority
        and (lease_until is null or lease_until <= gatehouse_now())
      order by id limit queue.most for update skip locked
    ) next))
  returning id::text, workflow_type as "workflowType", workflow_id as "workflowId", input, priority,
    fairness_key as "fairnessKey", message`;

/**
 * Leases the next unsent messages, of each priority so many at most, in the order of priority and
 * id: no other publisher takes them meanwhile.
 */
export async function claimUnsent(
  pool: pg.Pool,
  most: Partial<Record<Priority, number>>,
): Promise<OutboxMessage[]> {
  const values = [Object.keys(most), Object.values(most)];
  const claim = { name: 'claim_unsent', text: CLAIM, values };
  const { rows: claimed } = await pool.query<OutboxMessage>(claim);
  return claimed.sort(
    (one, other) => one.priority - other.priority || Number(BigInt(one.id) - BigInt(other.id)),
  );
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
