// What becomes of deliveries whose endpoint was disabled or deleted: in batches, whatever closed it.
import type pg from 'pg';
import { deliveryActor } from '../platform/outbox/actors.ts';
import { IS_UNLEASED } from './claim.store.ts';

const BATCH = 500;

const UNSETTLED = `greatest(disabled_at, deleted_at) > coalesce(settled_at, '-infinity'::timestamptz)`;

// A disabled endpoint holds its deliveries, a deleted one cancels them, those that were held too. What is
// under way is left to its record. Actors are woken, so that they end now and not with their timers.
const SETTLE = `
  with clock as materialized (select gatehouse_now() as at),
  closed as materialized (
    select id, deleted_at is not null as is_deleted from webhook_endpoint
    where ${UNSETTLED} order by id limit 20
  ),
  open as materialized (
    select d.id, closed.is_deleted from closed cross join lateral (
      select id from delivery d where endpoint_id = closed.id
        and status in ('pending', 'retrying', 'held')
        and status = any(case when closed.is_deleted then array['pending', 'retrying', 'held']
          else array['pending', 'retrying'] end)
        and ${IS_UNLEASED}
      limit ${BATCH} for update skip locked
    ) d
  ),
  moved as (
    update delivery d set status = case when open.is_deleted then 'cancelled' else 'held' end,
      due_at = null,
      finished_at = case when open.is_deleted then clock.at end
    from open, clock
    where d.id = open.id and d.id = any(array(select id from open))
    returning d.id, d.endpoint_id, old.status
  ),
  let_go as (
    delete from delivery_lease where delivery_id in (select id from open)
      and until <= (select at from clock)
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, share, message)
    select $1, $2 || id, endpoint_id::text, jsonb_build_object('kind', 'endpoint_closed')
    from moved where status = 'retrying'
  )
  select count(*)::int as moved from moved`;

const MARK_SETTLED = `
  update webhook_endpoint e set settled_at = gatehouse_now()
  where ${UNSETTLED} and not exists (
    select from delivery where endpoint_id = e.id and status in ('pending', 'retrying', 'held')
      and status = any(case when e.deleted_at is not null then array['pending', 'retrying', 'held']
        else array['pending', 'retrying'] end)
  )`;

/** One batch; answers how many deliveries it held or cancelled. */
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
