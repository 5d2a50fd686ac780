import type pg from 'pg';

export type DeliveryHealth = {
  dead: number;
  overdueS: number;
  underWay: number;
  oldestFirstAttemptS: number;
};

const MOST_COUNTED = 10_000;
const MOST_ENDPOINTS = 1_000;

// The lease of a dispatcher that died remains until the delivery is claimed again.
const IS_WAITING = `status = 'pending'
  and not exists (select from delivery_lease l
    where l.endpoint_id = delivery_state.endpoint_id and l.delivery_id = delivery_state.delivery_id
      and until > (select at from clock))`;

// Each part is a bounded walk through an index, whatever the tables hold.
const HEALTH = `
  with recursive clock as materialized (select gatehouse_now() as at),
  waiting as (
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
    (select count(*) filter (where until > at)::int from (
      select until from delivery_lease limit ${MOST_COUNTED}) counted, clock) as "underWay",
    coalesce(greatest(0, extract(epoch from at - retry)), 0)::float as "overdueS",
    coalesce(greatest(0, extract(epoch from at - first_attempt)), 0)::float
      as "oldestFirstAttemptS"
  from since, clock`;

/** Dead deliveries, attempts under way, and the delay of the most overdue ones in seconds. */
export async function readDeliveryHealth(pool: pg.Pool): Promise<DeliveryHealth> {
  const found = await pool.query<DeliveryHealth>({ name: 'delivery_health', text: HEALTH });
  return found.rows[0]!;
}
