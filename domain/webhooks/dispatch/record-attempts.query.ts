// Records the outcomes of claimed deliveries in one statement.
import type pg from 'pg';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { deliveryActor } from '../../outbox/actors.ts';
import type { DeliveryStatus, ErrorClass } from '../deliveries/delivery.entity.ts';
import { waitBeforeMs } from '../deliveries/retry-schedule.ts';
import { TROUBLE } from '../endpoints/endpoint-health.query.ts';

/** A delivery that this process alone may send until its lease ends. */
export type ClaimedDelivery = {
  id: string;
  endpointId: string;
  step: number;
  leaseToken: string;
  /** The place of its state in the table: PostgreSQL's ctid. */
  foundAt: string;
  /** An earlier send of this step died without recording its outcome. */
  wasInterrupted: boolean;
  eventName: string;
  body: Buffer;
  url: string;
  sealedSecret: string;
  /** Set within the rotation window, which may end before the delivery is signed. */
  previousSealedSecret: string | null;
  /** The rest of the window when the delivery was claimed. */
  previousForMs: number | null;
  /** By `performance.now()`. */
  claimedAt: number;
};

export type Outcome = {
  durationMs: number;
  statusCode: number | null;
  /** Null for a 2xx. */
  error: ErrorClass | null;
  ip: string | null;
  bodyStart: string | null;
};

export type SentDelivery = { delivery: ClaimedDelivery; outcome: Outcome };

export type RecordedDelivery = { id: string; status: DeliveryStatus };

// The next wait counts from here, the end of the attempt. A lost lease gives zero rows. Locks come
// in the order of claims: the delivery's state before its lease. A state is found by its place,
// which outdated statistics never turn into a scan; a state that was moved since is not found. The
// message of a failure holds `DeliveryNews`, so that the workflow need not read the row before it
// waits.
const RECORD = `
  with clock as (select gatehouse_now() as at),
  outcome as (
    select * from unnest($1::text[], $2::tid[], $3::uuid[], $4::int[], $5::int[], $6::text[], $7::text[],
      $8::text[], $9::boolean[], $10::float8[])
      as o(delivery_id, found_at, lease_token, duration_ms, status_code, error, ip, body_start,
        was_interrupted, next_wait_ms)
    order by delivery_id
  ),
  held as materialized (
    select o.*, still.endpoint_id, still.run, still.step from outcome o cross join lateral (
      select endpoint_id, run, step, ctid as found_at from delivery_state
      where ctid = o.found_at and delivery_id = o.delivery_id for update
    ) still where still.found_at = o.found_at
  ),
  ended as (
    delete from delivery_lease l using held o
    where l.endpoint_id = o.endpoint_id and l.delivery_id = o.delivery_id and l.token = o.lease_token
    returning o.*
  ),
  moved as (
    select *, case when error is null then 'succeeded'
      when next_wait_ms is null then 'dead' else 'retrying' end as status
    from ended
  ),
  succeeded as (
    delete from delivery_state d using moved o
    where d.ctid = o.found_at and o.status = 'succeeded'
  ),
  failed as (
    update delivery_state d set
      status = o.status,
      step = case when o.status = 'dead' then d.step else d.step + 1 end,
      due_at = clock.at + o.next_wait_ms * interval '1 millisecond',
      finished_at = case when o.status = 'dead' then clock.at end
    from moved o, clock
    where d.ctid = o.found_at and o.status <> 'succeeded'
    returning d.*, o.status_code, o.error, o.next_wait_ms
  ),
  recorded as (
    insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, error, ip,
      body_start, was_interrupted)
    select delivery_id, run, step, clock.at - duration_ms * interval '1 millisecond', duration_ms,
      status_code, error, ip, body_start, was_interrupted
    from moved, clock
    on conflict (delivery_id, run, step) do update set started_at = excluded.started_at,
      duration_ms = excluded.duration_ms, status_code = excluded.status_code,
      error = excluded.error, ip = excluded.ip, body_start = excluded.body_start,
      was_interrupted = excluded.was_interrupted
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, share, message)
    select $11::text, $12 || delivery_id, endpoint_id::text,
      jsonb_build_object('kind', 'first_attempt_failed', 'delivery', jsonb_build_object(
        'status', status, 'run', run, 'step', step,
        'dueAt', to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'remainingMs', next_wait_ms, 'lastStatusCode', status_code, 'lastError', error,
        'productId', product_id, 'endpointId', endpoint_id, 'eventName', event_name,
        'isEarly', false))
    from failed cross join lateral (
      select event_name from delivery where id = delivery_id offset 0
    ) sent
    where status = 'retrying' and $12::text is not null
  ),
  ${TROUBLE}
  select delivery_id as id, status from moved`;

/** Records first attempts and wakes the workflow of each that failed, in one statement. */
export function recordFirstAttempts(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
): Promise<RecordedDelivery[]> {
  return record(pool, sent, { isActorWoken: true });
}

/** Records a retry, whose workflow is the caller. */
export async function recordRetry(pool: pg.Pool, sent: SentDelivery): Promise<void> {
  await record(pool, [sent], { isActorWoken: false });
}

type Recording = { isActorWoken: boolean };

/** Closing an endpoint may move a state after its claim: a second statement finds it by its id. */
async function record(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
  recording: Recording,
): Promise<RecordedDelivery[]> {
  const recorded = await recordOnce(pool, sent, recording);
  if (recorded.length === sent.length) return recorded;
  const ids = new Set(recorded.map(({ id }) => id));
  const missed = sent.filter(({ delivery }) => !ids.has(delivery.id));
  const found = await findAgain(pool, missed);
  if (found.length === 0) return recorded;
  return [...recorded, ...(await recordOnce(pool, found, recording))];
}

async function findAgain(pool: pg.Pool, missed: readonly SentDelivery[]): Promise<SentDelivery[]> {
  const { rows } = await pool.query<{ id: string; foundAt: string }>({
    name: 'find_delivery_states',
    text: `select now.* from unnest($1::text[]) o (id) cross join lateral (
      select delivery_id as id, ctid as "foundAt" from delivery_state where delivery_id = o.id offset 0
    ) now`,
    values: [missed.map(({ delivery }) => delivery.id)],
  });
  const places = new Map(rows.map(({ id, foundAt }) => [id, foundAt]));
  return missed.flatMap(({ delivery, outcome }) => {
    const foundAt = places.get(delivery.id);
    return foundAt === undefined ? [] : { delivery: { ...delivery, foundAt }, outcome };
  });
}

async function recordOnce(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
  { isActorWoken }: Recording,
): Promise<RecordedDelivery[]> {
  const { workflowType, workflowId } = deliveryActor('');
  const { rows } = await pool.query<RecordedDelivery>({
    name: 'record_attempts',
    text: RECORD,
    values: [
      toArrayParameter(sent.map(({ delivery }) => delivery.id)),
      toArrayParameter(sent.map(({ delivery }) => `"${delivery.foundAt}"`)), // it holds a comma
      toArrayParameter(sent.map(({ delivery }) => delivery.leaseToken)),
      toArrayParameter(sent.map(({ outcome }) => outcome.durationMs)),
      toArrayParameter(sent.map(({ outcome }) => outcome.statusCode)),
      toArrayParameter(sent.map(({ outcome }) => outcome.error)),
      toArrayParameter(sent.map(({ outcome }) => outcome.ip)),
      sent.map(({ outcome }) => outcome.bodyStart), // whatever a stranger writes
      toArrayParameter(sent.map(({ delivery }) => delivery.wasInterrupted)),
      toArrayParameter(sent.map(({ delivery }) => waitBeforeMs(delivery.step + 1))),
      workflowType,
      isActorWoken ? workflowId : null,
    ],
  });
  return rows;
}
