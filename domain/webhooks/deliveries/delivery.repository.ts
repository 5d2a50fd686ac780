import type pg from 'pg';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { DeliveryStatus, ErrorClass } from '../dispatch/record-attempts.query.ts';

/** A delivery's progress; times come from the database's clock. */
export type DeliveryState = {
  status: DeliveryStatus;
  run: number;
  step: number;
  dueAt: string | null;
  remainingMs: number;
  lastStatusCode: number | null;
  lastError: ErrorClass | null;
  productId: string;
  endpointId: string;
  eventName: string;
};

/**
 * `isEarly`: nothing was sent and the step is still ahead, because it is not due or its endpoint is
 * busy.
 */
export type DeliveryNews = DeliveryState & { isEarly: boolean };

export async function loadDelivery(em: EntityManager, deliveryId: string): Promise<DeliveryState> {
  const [row] = await rows<DeliveryState & { dueAt: Date | string | null }>(
    em,
    `select status, run, step, due_at as "dueAt", last_status_code as "lastStatusCode",
       last_error as "lastError", product_id as "productId", endpoint_id as "endpointId",
       event_name as "eventName", greatest(0, ceil(
         extract(epoch from coalesce(due_at, gatehouse_now()) - gatehouse_now()) * 1000
       ))::float as "remainingMs"
     from delivery_now where id = ?`,
    [deliveryId],
  );
  if (!row) throw new Error(`there is no delivery ${deliveryId}`);
  return { ...row, dueAt: row.dueAt === null ? null : new Date(row.dueAt).toISOString() };
}

export type DeliveryTrouble = {
  dead: number;
  overdueS: number;
  underWay: number;
  oldestFirstAttemptS: number;
};

const MOST_COUNTED = 10_000;
const MOST_ENDPOINTS = 1_000;

const IS_WAITING = `status = 'pending'
  and not exists (select from delivery_lease l
    where l.endpoint_id = delivery_state.endpoint_id and l.delivery_id = delivery_state.delivery_id)`;

// Each part is a bounded walk through an index, whatever the tables hold.
const TROUBLE = `
  with recursive waiting as (
    (select endpoint_id, due_at, 1 as place from delivery_state
     where ${IS_WAITING} order by endpoint_id, due_at limit 1)
    union all
    select next.*, w.place + 1 from waiting w cross join lateral (
      select endpoint_id, due_at from delivery_state
      where ${IS_WAITING} and endpoint_id > w.endpoint_id
      order by endpoint_id, due_at limit 1
    ) next where w.place < ${MOST_ENDPOINTS}
  ),
  since as (
    select (select min(due_at) from delivery_state where status = 'retrying') as retry,
      (select min(due_at) from waiting) as first_attempt
  )
  select
    (select count(*)::int from (
      select from delivery_state where status = 'dead' limit ${MOST_COUNTED}) counted) as dead,
    (select count(*)::int from (
      select from delivery_lease limit ${MOST_COUNTED}) counted) as "underWay",
    coalesce(greatest(0, extract(epoch from gatehouse_now() - retry)), 0)::float as "overdueS",
    coalesce(greatest(0, extract(epoch from gatehouse_now() - first_attempt)), 0)::float
      as "oldestFirstAttemptS"
  from since`;

/** Dead deliveries, attempts under way, and the delay of the most overdue ones in seconds. */
export async function readDeliveryTrouble(pool: pg.Pool): Promise<DeliveryTrouble> {
  const found = await pool.query<DeliveryTrouble>({ name: 'delivery_trouble', text: TROUBLE });
  return found.rows[0]!;
}
