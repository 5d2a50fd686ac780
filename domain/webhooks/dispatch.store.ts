// Recording what became of deliveries that were claimed: one statement, on the hot path's pool.
import type pg from 'pg';
import { deliveryActor } from '../platform/outbox/actors.ts';
import type { DELIVERY_STATUSES, ERROR_CLASSES } from './delivery.entity.ts';
import { waitBeforeMs } from './retry-schedule.ts';
import { TROUBLE } from './trouble-statement.store.ts';

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** A delivery that this process alone may send until its lease is over. */
export type ClaimedDelivery = {
  id: string;
  endpointId: string;
  step: number;
  leaseToken: string;
  /** An earlier send of this step did not live to tell its outcome. */
  wasInterrupted: boolean;
  eventName: string;
  body: Buffer;
  url: string;
  sealedSecret: string;
  /** Only inside the rotation window, which may end before the delivery is signed. */
  previousSealedSecret: string | null;
  /** What was left of the window when the delivery was claimed. */
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

// The next wait counts from here, the end of the attempt. Zero rows for a lease that was lost. Locks are
// taken as claims take them, the delivery before its lease.
const RECORD = `
  with clock as (select gatehouse_now() as at),
  outcome as (
    select * from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[],
      $7::text[], $8::boolean[], $9::float8[], $10::text[])
      as o(delivery_id, lease_token, duration_ms, status_code, error, ip, body_start,
        was_interrupted, next_wait_ms, workflow_id)
  ),
  held as materialized (
    select o.* from outcome o join delivery d on d.id = o.delivery_id order by d.id for update of d
  ),
  ended as (
    delete from delivery_lease l using held o
    where l.delivery_id = o.delivery_id and l.token = o.lease_token
    returning o.*
  ),
  moved as (
    update delivery d set
      status = case when o.error is null then 'succeeded'
        when o.next_wait_ms is null then 'dead' else 'retrying' end,
      step = case when o.error is null or o.next_wait_ms is null then d.step else d.step + 1 end,
      due_at = case when o.error is not null
        then clock.at + o.next_wait_ms * interval '1 millisecond' end,
      finished_at = case when o.error is null or o.next_wait_ms is null then clock.at end,
      last_status_code = o.status_code, last_error = o.error
    from ended o, clock
    where d.id = o.delivery_id
    returning d.id, d.endpoint_id, d.run, old.step, d.status, o.duration_ms, o.status_code, o.error,
      o.ip, o.body_start, o.was_interrupted, o.workflow_id
  ),
  recorded as (
    insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, error, ip,
      body_start, was_interrupted)
    select id, run, step, clock.at - duration_ms * interval '1 millisecond', duration_ms,
      status_code, error, ip, body_start, was_interrupted
    from moved, clock
    on conflict (delivery_id, run, step) do update set started_at = excluded.started_at,
      duration_ms = excluded.duration_ms, status_code = excluded.status_code,
      error = excluded.error, ip = excluded.ip, body_start = excluded.body_start,
      was_interrupted = excluded.was_interrupted
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, share, message)
    select $11::text, workflow_id, endpoint_id::text,
      jsonb_build_object('kind', 'first_attempt_failed')
    from moved where status = 'retrying' and workflow_id is not null
  ),
  ${TROUBLE}
  select id, status from moved`;

/** Records first attempts; the actor of each that failed is woken by the same statement. */
export function recordFirstAttempts(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
): Promise<RecordedDelivery[]> {
  return record(pool, sent, (id) => deliveryActor(id).workflowId);
}

/** Gives back what was claimed and not sent. */
export async function releaseFirstAttempts(
  pool: pg.Pool,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  await pool.query({
    name: 'release_first_attempts',
    text: `
      with held as materialized (
        select id from delivery where id = any($1) order by id for update
      )
      delete from delivery_lease where delivery_id in (select id from held) and token = any($2)`,
    values: [deliveries.map(({ id }) => id), deliveries.map(({ leaseToken }) => leaseToken)],
  });
}

/** Records a retry, whose actor is the caller. */
export async function recordRetry(pool: pg.Pool, sent: SentDelivery): Promise<void> {
  await record(pool, [sent], () => null);
}

async function record(
  pool: pg.Pool,
  sent: readonly SentDelivery[],
  toWorkflowId: (deliveryId: string) => string | null,
): Promise<RecordedDelivery[]> {
  const { rows } = await pool.query<RecordedDelivery>({
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
      sent.map(({ delivery }) => toWorkflowId(delivery.id)),
      deliveryActor('').workflowType,
    ],
  });
  return rows;
}
