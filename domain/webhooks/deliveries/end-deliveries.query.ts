// Ends deliveries in batches: those of disabled and deleted endpoints, whatever closed the endpoints,
// and those of months that are dropped next.
import type pg from 'pg';
import {
  cohortWorkflow,
  deliveryWorkflow,
  drivingWorkflow,
} from '../../outbox/workflow-targets.ts';
import { ownerOf } from '../../outbox/outbox.query.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

const BATCH = 500;

const CLOSED_AT = 'greatest(disabled_at, deleted_at)';

const NOT_YET_CLOSED = `${CLOSED_AT} > coalesce(deliveries_closed_at, '-infinity'::timestamptz)`;

const OPEN = (isDeleted: string) =>
  `case when ${isDeleted} then array['pending', 'retrying', 'held'] else array['pending', 'retrying'] end`;

// SQL: by the primary key. A join alone may become a scan when statistics are old.
const IS_ONE_OF = (found: string) => `d.delivery_id = any(array(select id from ${found}))`;

// An interrupted send may have arrived, so it is an attempt. When it began is not known any more, only
// when it was due. A repeat of the step replaces the attempt and keeps the mark.
const INTERRUPTED = (from: string) => `
  insert into attempt (delivery_id, run, step, started_at, duration_ms, error, was_interrupted, cohort)
  select id, run, step, due_at, 0, 'reset', true, cohort from ${from}
  on conflict (delivery_id, run, step) do update set was_interrupted = true`;

// A disabled endpoint holds its deliveries, a deleted one cancels them, held ones included. An
// attempt under way is left to its record. Workflows are woken, so that they end now and not with
// their timers. `offset 0` as in the claim.
const CLOSE = `
  with clock as materialized (select gatehouse_now() as at),
  closed as materialized (
    select id, deleted_at is not null as is_deleted from webhook_endpoint
    where ${NOT_YET_CLOSED} order by id limit 20
  ),
  open as materialized (
    select d.*, closed.is_deleted from closed
    cross join lateral unnest(${OPEN('closed.is_deleted')}) wanted (status)
    cross join lateral (
      select delivery_id as id, endpoint_id, run, step, due_at, cohort from delivery_state d
      where endpoint_id = closed.id and status = wanted.status and not exists (
        select from delivery_lease l where l.endpoint_id = d.endpoint_id
          and l.delivery_id = d.delivery_id and until > (select at from clock) offset 0)
      order by due_at limit ${BATCH} for update skip locked
    ) d limit ${BATCH}
  ),
  moved as (
    update delivery_state d set due_at = null,
      status = case when is_deleted then 'cancelled' else 'held' end,
      finished_at = case when is_deleted then clock.at end
    from open, clock
    where ${IS_ONE_OF('open')} and d.delivery_id = open.id
    returning open.id, d.product_id, d.cohort, old.status
  ),
  unleased as (
    delete from delivery_lease l using open
    where l.endpoint_id = open.endpoint_id and l.delivery_id = open.id
      and until <= (select at from clock)
    returning open.*
  ),
  interrupted as (${INTERRUPTED('unleased')}),
  woken as (
    insert into outbox (workflow_type, workflow_id, input, priority, fairness_key, message)
    select $1::text, $2 || id, jsonb_build_object('deliveryId', id), $3::int, ${ownerOf('moved.product_id')},
      jsonb_build_object('kind', 'endpoint_closed')
    from moved where status = 'retrying' and cohort is null
    union all
    select distinct $4, cohort, jsonb_build_object('cohort', cohort), $3,
      ${ownerOf('moved.product_id')}, jsonb_build_object('kind', 'endpoint_closed')
    from moved where status = 'retrying' and cohort is not null
  )
  select count(*)::int as moved from moved`;

// Stores the instant of the closing, not the current one: a deletion that waits for this statement,
// or comes within its millisecond, is not earlier.
const MARK_CLOSED = `
  update webhook_endpoint e set deliveries_closed_at = ${CLOSED_AT}
  where ${NOT_YET_CLOSED} and not exists (
    select from delivery_state
    where endpoint_id = e.id and status = any(${OPEN('e.deleted_at is not null')})
  )`;

/** One batch; returns the number of deliveries that it held or cancelled. */
export async function closeDeliveries(pool: pg.Pool): Promise<number> {
  const { workflowType, workflowId, priority } = deliveryWorkflow('');
  const { rows: closed } = await pool.query<{ moved: number }>({
    name: 'close_deliveries',
    text: CLOSE,
    values: [workflowType, workflowId, priority, cohortWorkflow('').workflowType],
  });
  const { moved } = closed[0]!;
  if (moved === 0) await pool.query({ name: 'mark_closed', text: MARK_CLOSED });
  return moved;
}

// In the order of all locks: the state, then its lease. An endpoint that was enabled meanwhile has
// its deliveries claimed again. The claim took over the leases of the interrupted ones.
const CLOSE_CLAIMED = `
  with claimed as materialized (
    select delivery_id as id, endpoint_id, run, step, due_at, cohort from delivery_state
    where delivery_id = any($1::text[]) order by delivery_id for update
  ),
  unleased as (
    delete from delivery_lease l using claimed c
    where l.endpoint_id = c.endpoint_id and l.delivery_id = c.id and token = $2
    returning c.*
  ),
  interrupted as (${INTERRUPTED('unleased where id = any($3::text[])')}),
  closed as materialized (
    select unleased.id, e.deleted_at is not null as is_deleted
    from unleased join webhook_endpoint e on e.id = unleased.endpoint_id
    where coalesce(e.deleted_at, e.disabled_at) is not null
  )
  update delivery_state d set due_at = null,
    status = case when is_deleted then 'cancelled' else 'held' end,
    finished_at = case when is_deleted then gatehouse_now() end
  from closed where ${IS_ONE_OF('closed')} and d.delivery_id = closed.id`;

type ClosedClaim = { id: string; wasInterrupted: boolean };

/** Holds or cancels deliveries whose endpoint was closed before they were claimed. */
export async function closeClaimed(
  pool: pg.Pool,
  claimed: readonly ClosedClaim[],
  leaseToken: string,
): Promise<void> {
  const interrupted = claimed.filter(({ wasInterrupted }) => wasInterrupted);
  await pool.query({
    name: 'close_claimed',
    text: CLOSE_CLAIMED,
    values: [claimed.map(({ id }) => id), leaseToken, interrupted.map(({ id }) => id)],
  });
}

const OLD_BATCH = 1_000;

// A delivery that is under way is dead from now on. Its workflow has an hour to read that.
const END = `
  with kept as materialized (
    select first_id('text', date_trunc('month', gatehouse_now() - interval '90 days', 'UTC')) as since),
  old as materialized (
    select delivery_id, endpoint_id, status, finished_at, cohort from delivery_state
    where delivery_id < (select since from kept)
      and coalesce(finished_at, '-infinity') <= gatehouse_now() - interval '1 hour'
    order by delivery_id limit ${OLD_BATCH} for update skip locked),
  unleased as (
    delete from delivery_lease l using old
    where l.endpoint_id = old.endpoint_id and l.delivery_id = old.delivery_id),
  removed as (
    delete from delivery_state
    where delivery_id = any(array(
      select delivery_id from old where status not in ('pending', 'retrying')))),
  failing as materialized (
    select id from webhook_endpoint where id in (
      select endpoint_id from old where status in ('pending', 'retrying'))
    order by id for no key update),
  marked as (
    update webhook_endpoint e set last_dead_at = gatehouse_now() from failing where e.id = failing.id),
  ended as (
    update delivery_state d set status = 'dead', due_at = null, finished_at = gatehouse_now()
    where d.delivery_id = any(array(
      select delivery_id from old where status in ('pending', 'retrying'))))
  select delivery_id as "deliveryId", status, cohort from old`;

/** One batch of deliveries whose month is over; true when more may wait. */
export async function endOldDeliveries(em: EntityManager): Promise<boolean> {
  type Ended = { deliveryId: string; status: string; cohort: string | null };
  const ended = await rows<Ended>(em, END);
  const retrying = ended.filter(({ status }) => status === 'retrying');
  await sendToWorkflows(em, retrying.map(drivingWorkflow), { kind: 'too_old' });
  return ended.length === OLD_BATCH;
}
