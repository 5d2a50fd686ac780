// Claiming deliveries and recording what became of them: one statement each, on the hot path's pool.
import { randomUUID } from 'node:crypto';
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
  step: number;
  leaseToken: string;
  /** An earlier send of this step did not live to tell its outcome. */
  wasInterrupted: boolean;
  eventName: string;
  body: Buffer;
  url: string;
  sealedSecret: string;
  /** Only inside the rotation window. */
  previousSealedSecret: string | null;
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

// Longer than the 10 s that a send may take and the record after it.
const LEASE_S = 30;

// The endpoint is read again before every send: disabled holds a delivery, deleted cancels it.
const CLAIM = `
  set status = case when e.deleted_at is not null then 'cancelled'
        when e.disabled_at is not null then 'held' else d.status end,
    due_at = case when e.deleted_at is null and e.disabled_at is null then d.due_at end,
    finished_at = case when e.deleted_at is not null then gatehouse_now() end,
    lease_token = case when e.deleted_at is null and e.disabled_at is null then $1::uuid end,
    lease_until = case when e.deleted_at is null and e.disabled_at is null
        then gatehouse_now() + ${LEASE_S} * interval '1 second' end
  from webhook_endpoint e`;

const CLAIMED = `
  returning d.id, d.step, d.lease_token as "leaseToken",
    old.lease_token is not null as "wasInterrupted", d.event_name as "eventName", d.body, e.url,
    e.sealed_secret as "sealedSecret",
    case when e.previous_until > gatehouse_now() then e.previous_sealed_secret end
      as "previousSealedSecret"`;

const CLAIM_FIRST_ATTEMPTS = `
  with due as (
    select id from delivery
    where status = 'pending' and due_at <= gatehouse_now()
      and (lease_until is null or lease_until <= gatehouse_now())
    order by due_at limit $2 for update skip locked
  )
  update delivery d ${CLAIM}
  where e.id = d.endpoint_id and d.id in (select id from due) ${CLAIMED}`;

// A retry's lease may be taken over: Temporal gave the attempt to another worker.
const CLAIM_RETRY = `
  update delivery d ${CLAIM}
  where e.id = d.endpoint_id and d.id = $2 and d.run = $3 and d.step = $4
    and d.status = 'retrying' and d.due_at <= gatehouse_now() ${CLAIMED}`;

/** Claims deliveries whose first attempt is due, the oldest first. */
export async function claimFirstAttempts(pool: pg.Pool, limit: number): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery & { leaseToken: string | null }>({
    name: 'claim_first_attempts',
    text: CLAIM_FIRST_ATTEMPTS,
    values: [randomUUID(), limit],
  });
  return rows.filter(({ leaseToken }) => leaseToken !== null);
}

/** Claims one step of a run; null where the row says that it is not to be sent now. */
export async function claimRetry(
  pool: pg.Pool,
  attempt: { deliveryId: string; run: number; step: number },
): Promise<ClaimedDelivery | null> {
  const { rows } = await pool.query<ClaimedDelivery & { leaseToken: string | null }>({
    name: 'claim_retry',
    text: CLAIM_RETRY,
    values: [randomUUID(), attempt.deliveryId, attempt.run, attempt.step],
  });
  const claimed = rows[0];
  return claimed?.leaseToken ? claimed : null;
}

// The next wait counts from here, the end of the attempt. Zero rows for a lease that was lost.
const RECORD = `
  with clock as (select gatehouse_now() as at),
  outcome as (
    select * from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[],
      $7::text[], $8::boolean[], $9::float8[], $10::text[])
      as o(delivery_id, lease_token, duration_ms, status_code, error, ip, body_start,
        was_interrupted, next_wait_ms, workflow_id)
  ),
  moved as (
    update delivery d set
      status = case when o.error is null then 'succeeded'
        when o.next_wait_ms is null then 'dead' else 'retrying' end,
      step = case when o.error is null or o.next_wait_ms is null then d.step else d.step + 1 end,
      due_at = case when o.error is not null
        then clock.at + o.next_wait_ms * interval '1 millisecond' end,
      finished_at = case when o.error is null or o.next_wait_ms is null then clock.at end,
      lease_token = null, lease_until = null,
      last_status_code = o.status_code, last_error = o.error
    from outcome o, clock
    where d.id = o.delivery_id and d.lease_token = o.lease_token
    returning d.id, d.endpoint_id, d.run, old.step, d.status
  ),
  recorded as (
    insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, error, ip,
      body_start, was_interrupted)
    select m.id, m.run, m.step, clock.at - o.duration_ms * interval '1 millisecond',
      o.duration_ms, o.status_code, o.error, o.ip, o.body_start, o.was_interrupted
    from moved m join outcome o on o.delivery_id = m.id cross join clock
    on conflict (delivery_id, run, step) do update set started_at = excluded.started_at,
      duration_ms = excluded.duration_ms, status_code = excluded.status_code,
      error = excluded.error, ip = excluded.ip, body_start = excluded.body_start,
      was_interrupted = excluded.was_interrupted
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, message)
    select $11::text, o.workflow_id, jsonb_build_object('kind', 'first_attempt_failed')
    from moved m join outcome o on o.delivery_id = m.id
    where m.status = 'retrying' and o.workflow_id is not null
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
