// Settles the deliveries of disabled and deleted endpoints in batches, whatever closed them.
import type pg from 'pg';
import { deliveryActor } from '../../outbox/actors.ts';
import { IS_UNLEASED } from '../dispatch/claim-limits.query.ts';

const BATCH = 500;

const CLOSED_AT = 'greatest(disabled_at, deleted_at)';

const UNSETTLED = `${CLOSED_AT} > coalesce(settled_at, '-infinity'::timestamptz)`;

const OPEN = (isDeleted: string) =>
  `case when ${isDeleted} then array['pending', 'retrying', 'held'] else array['pending', 'retrying'] end`;

// A disabled endpoint holds its deliveries, a deleted one cancels them, held ones included. An
// attempt under way is left to its record. Workflows are woken, so that they end now and not with
// their timers.
const SETTLE = `
  with clock as materialized (select gatehouse_now() as at),
  closed as materialized (
    select id, deleted_at is not null as is_deleted from webhook_endpoint
    where ${UNSETTLED} order by id limit 20
  ),
  open as materialized (
    select d.*, closed.is_deleted from closed
    cross join lateral unnest(${OPEN('closed.is_deleted')}) wanted (status)
    cross join lateral (
      select delivery_id as id, endpoint_id, ctid as found_at from delivery_state d
      where endpoint_id = closed.id and status = wanted.status and ${IS_UNLEASED}
      order by due_at limit ${BATCH} for update skip locked
    ) d limit ${BATCH}
  ),
  moved as (
    update delivery_state d set status = case when open.is_deleted then 'cancelled' else 'held' end,
      due_at = null,
      finished_at = case when open.is_deleted then clock.at end
    from open, clock
    where d.ctid = open.found_at
    returning open.id, d.endpoint_id, old.status
  ),
  let_go as (
    delete from delivery_lease l using open
    where l.endpoint_id = open.endpoint_id and l.delivery_id = open.id
      and until <= (select at from clock)
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, share, message)
    select $1, $2 || id, endpoint_id::text, jsonb_build_object('kind', 'endpoint_closed')
    from moved where status = 'retrying'
  )
  select count(*)::int as moved from moved`;

// Stores the instant of the closing, not the current one: a deletion that waits for this statement,
// or comes within its millisecond, is not earlier.
const MARK_SETTLED = `
  update webhook_endpoint e set settled_at = ${CLOSED_AT}
  where ${UNSETTLED} and not exists (
    select from delivery_state
    where endpoint_id = e.id and status = any(${OPEN('e.deleted_at is not null')})
  )`;

/** One batch; returns the number of deliveries that it held or cancelled. */
export async function settleClosedEndpoints(pool: pg.Pool): Promise<number> {
  const { workflowType, workflowId } = deliveryActor('');
  const { rows } = await pool.query<{ moved: number }>({
    name: 'settle_closed_endpoints',
    text: SETTLE,
    values: [workflowType, workflowId],
  });
  const { moved } = rows[0]!;
  if (moved === 0) await pool.query({ name: 'mark_settled', text: MARK_SETTLED });
  return moved;
}
