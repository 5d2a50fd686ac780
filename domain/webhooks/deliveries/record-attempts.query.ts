// Records the outcomes of attempts in one statement.
import type pg from 'pg';
import { cohortWorkflow, deliveryWorkflow } from '../../outbox/workflow-targets.ts';
import type { ErrorClass } from './delivery.entity.ts';
import type { DeliveryReport } from './delivery.repository.ts';
import { waitBeforeMs } from './retry-schedule.ts';
import type { Signatures } from './sign-delivery.ts';
import type { ClaimedDelivery } from './claim-deliveries.query.ts';
import { MOST_OWN_WORKFLOWS } from './attempts-at-once.ts';

export type Outcome = {
  durationMs: number;
  statusCode: number | null;
  /** Is null for a 2xx. */
  error: ErrorClass | null;
  ip: string | null;
  bodyStart: string | null;
  /** The signatures that were sent; absent where nothing was. */
  signatures?: Signatures | undefined;
};

export type SentDelivery = { delivery: ClaimedDelivery; outcome: Outcome };

// A state is found by its primary key. `offset 0` and `any` keep it so when statistics are old.
// As a subselect it fits no partial index: an empty one looks cheap, and its plan would stay.
const RETRYING = `(select 'retrying')`;

/**
 * The state of a delivery after a first attempt that failed: column by column what `readDelivery`
 * returns. It travels with the message, which saves each failure the activity that would read it.
 */
const REPORT: Record<keyof Omit<DeliveryReport, 'endpointHost'>, string> = {
  status: 'status',
  run: 'run',
  step: 'step + 1',
  dueAt: `to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  remainingMs: 'next_wait_ms',
  lastStatusCode: 'status_code',
  lastError: 'error',
  productId: 'product_id',
  endpointId: 'endpoint_id',
  eventName: 'event_name',
  isEarly: 'false',
};
const REPORT_COLUMNS = Object.entries(REPORT).map(([name, value]) => `'${name}', ${value}`);

// The first failed retry since a success begins a failure period, and any success ends it: the row
// is written then, and when a delivery dies.
const ENDPOINT_HEALTH = `
  endpoint_outcomes as (
    select endpoint_id, bool_or(status = 'succeeded') as has_succeeded,
      bool_or(status = 'dead') as has_died,
      bool_or(status <> 'succeeded' and step > 0) as has_failed
    from moved group by endpoint_id),
  changed as (
    select e.id, has_succeeded, has_died
    from webhook_endpoint e join endpoint_outcomes on endpoint_id = e.id
    where has_died or (has_succeeded and failing_since is not null)
      or (has_failed and not has_succeeded and failing_since is null)
    order by e.id for no key update of e),
  healthy as (
    update webhook_endpoint e set
      failing_since = case when has_succeeded then null else coalesce(failing_since, clock.at) end,
      last_dead_at = case when has_died then clock.at else last_dead_at end
    from changed, clock where e.id = changed.id)`;

const RECORD = `
  with clock as materialized (select gatehouse_now() as at),
  -- 1. Lock the states in one order, each before its lease, as a claim does.
  outcome as materialized (
    select o.*, d.* from (
      select * from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[],
        $7::text[], $8::boolean[], $9::float8[], $14::text[], $15::text[]) as o (delivery_id,
          lease_token, duration_ms, status_code, error, ip, body_start, was_interrupted,
          next_wait_ms, signature, previous_signature)
      order by delivery_id) o
    cross join lateral (
      select endpoint_id, product_id, run, step, cohort as own_cohort from delivery_state
      where delivery_id = o.delivery_id offset 0 for update) d),
  -- 2. End the leases. An outcome without its lease is lost: another process repeats the attempt.
  ended as (
    delete from delivery_lease l using outcome o
    where l.endpoint_id = o.endpoint_id and l.delivery_id = o.delivery_id and token = lease_token
    returning o.*, is_retry, owner_id),
  -- 3. Beyond a number of open retries of an endpoint, its first failures of a minute are a cohort.
  over_limit as (
    select endpoint_id, 'deliveries:' || endpoint_id || ':' ||
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') as new_cohort
    from (select distinct endpoint_id from ended where error is not null and not is_retry) e, clock
    where ${MOST_OWN_WORKFLOWS} < (select count(*) from (
      select from delivery_state where status = ${RETRYING} and endpoint_id = e.endpoint_id
      order by due_at limit ${MOST_OWN_WORKFLOWS} + 1) open)),
  moved as materialized (
    select ended.*,
      case when is_retry then own_cohort when error is not null then new_cohort end as cohort,
      case when error is null then 'succeeded'
      when next_wait_ms is null then 'dead' else 'retrying' end as status,
      (clock.at + next_wait_ms * interval '1 millisecond')::timestamptz(3) as due_at
    from ended left join over_limit using (endpoint_id), clock),
  -- 4. A success ends the state. The wait of a failure counts from now, the end of the attempt.
  succeeded as (
    delete from delivery_state
    where delivery_id = any(array(select delivery_id from moved where status = 'succeeded'))),
  failed as (
    update delivery_state d set status = o.status, due_at = o.due_at,
      cohort = o.cohort,
      step = case when o.status = 'dead' then d.step else d.step + 1 end,
      finished_at = case when o.status = 'dead' then clock.at end
    from moved o, clock
    where d.delivery_id = any(array(select delivery_id from moved where status <> 'succeeded'))
      and d.delivery_id = o.delivery_id),
  -- 5. The attempt; that of an interrupted send is replaced, and its mark stays.
  recorded as (
    insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, error, ip,
      body_start, was_interrupted, signature, previous_signature, cohort)
    select delivery_id, run, step, clock.at - duration_ms * interval '1 millisecond', duration_ms,
      status_code, error, ip, body_start, was_interrupted, signature, previous_signature, cohort
    from moved, clock
    on conflict (delivery_id, run, step) do update set started_at = excluded.started_at,
      duration_ms = excluded.duration_ms, status_code = excluded.status_code,
      error = excluded.error, ip = excluded.ip, body_start = excluded.body_start,
      was_interrupted = attempt.was_interrupted or excluded.was_interrupted,
      signature = excluded.signature, previous_signature = excluded.previous_signature,
      cohort = excluded.cohort),
  -- 6. A first attempt that failed wakes a workflow; that of a retry is waiting for this statement.
  -- The message holds the row's state, so that the workflow need not read it before it waits.
  woken as (
    insert into outbox (workflow_type, workflow_id, input, priority, fairness_key, message)
    select $10::text, $11 || delivery_id, jsonb_build_object('deliveryId', delivery_id), $12::int,
      owner_id::text,
      jsonb_build_object('kind', 'first_attempt_failed', 'delivery',
        jsonb_build_object(${REPORT_COLUMNS.join(', ')}))
    from moved cross join lateral (
      select event_name from delivery where id = delivery_id offset 0) sent
    where status = 'retrying' and not is_retry and cohort is null
    union all
    select distinct $13, cohort, jsonb_build_object('cohort', cohort), $12, owner_id::text,
      jsonb_build_object('kind', 'first_attempts_failed')
    from moved where cohort is not null and not is_retry and not exists (
      select from delivery_state d
      where d.cohort = moved.cohort and d.status = ${RETRYING} offset 0)),
  -- 7. The health of the endpoints.
  ${ENDPOINT_HEALTH}
  select count(*)::int as recorded from moved`;

/** Returns the number of outcomes whose lease was neither taken over nor ended. */
export async function recordOutcomes(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
): Promise<number> {
  const { workflowType, workflowId, priority } = deliveryWorkflow('');
  const cohort = cohortWorkflow('');
  const { rows } = await pool.query<{ recorded: number }>({
    name: 'record_attempts',
    text: RECORD,
    values: [
      sent.map(({ delivery }) => delivery.id),
      sent.map(({ delivery }) => delivery.leaseToken),
      sent.map(({ outcome }) => outcome.durationMs),
      sent.map(({ outcome }) => outcome.statusCode),
      sent.map(({ outcome }) => outcome.error),
      sent.map(({ outcome }) => outcome.ip),
      sent.map(({ outcome }) => outcome.bodyStart),
      sent.map(({ delivery }) => delivery.wasInterrupted),
      sent.map(({ delivery }) => waitBeforeMs(delivery.step + 1)),
      workflowType,
      workflowId,
      priority,
      cohort.workflowType,
      sent.map(({ outcome }) => outcome.signatures?.current),
      sent.map(({ outcome }) => outcome.signatures?.previous),
    ],
  });
  return rows[0]!.recorded;
}
