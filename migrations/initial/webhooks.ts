import { createdAt, sql } from './sql.ts';

const endpoint = [
  sql`create table webhook_endpoint (
    id uuid primary key,
    product_id uuid not null references product,
    slot smallint not null check (slot between 1 and 10),
    url text not null check (length(url) <= 2048),
    events text[] not null,
    sealed_secret text not null,
    previous_sealed_secret text,
    previous_until timestamptz(3),
    ${createdAt},
    disabled_at timestamptz(3),
    deleted_at timestamptz(3),
    -- The last time that all deliveries of the closed endpoint were seen to be settled.
    settled_at timestamptz(3),
    -- The first failed retry since the last success.
    failing_since timestamptz(3),
    last_dead_at timestamptz(3),
    -- The last mail to the team about dead deliveries.
    dead_notified_at timestamptz(3)
  )`,
  sql`create unique index webhook_endpoint_slot on webhook_endpoint (product_id, slot) where deleted_at is null`,
  sql`create index webhook_endpoint_unsettled on webhook_endpoint (id)
    where greatest(disabled_at, deleted_at) > coalesce(settled_at, '-infinity'::timestamptz)`,
  sql`create index webhook_endpoint_unnotified on webhook_endpoint (last_dead_at)
    where deleted_at is null and last_dead_at > coalesce(dead_notified_at, '-infinity'::timestamptz)`,
  sql`create index webhook_endpoint_failing on webhook_endpoint (failing_since)
    where deleted_at is null and disabled_at is null and failing_since is not null`,
];

const delivery = [
  sql`create table event (
    id uuid primary key,
    product_id uuid not null references product,
    name text not null,
    data jsonb not null,
    created_at timestamptz(3) not null
  )`,
  sql`create index event_product on event (product_id, created_at, id)`,
  sql`create table delivery (
    id text primary key,
    event_id uuid not null references event,
    endpoint_id uuid not null references webhook_endpoint,
    product_id uuid not null references product,
    event_name text not null,
    body bytea not null,
    created_at timestamptz(3) not null,
    unique (event_id, endpoint_id)
  )`,
  // Each filter of the console's list reads one page as one walk along an index.
  sql`create index delivery_product on delivery (product_id, created_at, id)`,
  sql`create index delivery_event on delivery (product_id, event_name, created_at, id)`,
  sql`create index delivery_endpoint on delivery (endpoint_id, created_at, id)`,
  // A delivery has a state until it has succeeded; then this row goes, and the row of the delivery is never
  // written again. Open deliveries are few beside those that have succeeded.
  sql`create table delivery_state (
    delivery_id text primary key references delivery,
    product_id uuid not null,
    endpoint_id uuid not null,
    status text not null default 'pending'
      check (status in ('pending', 'retrying', 'dead', 'held', 'cancelled')),
    run integer not null default 1,
    step integer not null default 0 check (step between 0 and 5),
    due_at timestamptz(3),
    created_at timestamptz(3) not null,
    finished_at timestamptz(3)
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)`,
  // Claims walk it by endpoint. Dead entries are cleared one by one, so none are merged.
  sql`create index delivery_state_endpoint on delivery_state (status, endpoint_id, due_at)
    with (deduplicate_items = off)`,
  sql`create index delivery_state_product on delivery_state (product_id, status, created_at, delivery_id)`,
  sql`create index delivery_state_retry on delivery_state (due_at) where status = 'retrying'`,
  // A claim writes this table instead of the state, which has more indexes. The lock of the delivery's state
  // covers its lease.
  sql`create table delivery_lease (
    delivery_id text not null,
    endpoint_id uuid not null,
    -- Leases of one owner of products are counted. A lease lives for seconds: a product that changes hands
    -- takes only its later leases along.
    owner_id uuid not null,
    token uuid not null,
    until timestamptz(3) not null,
    primary key (endpoint_id, delivery_id)
  )`,
  sql`create index delivery_lease_owner on delivery_lease (owner_id) with (deduplicate_items = off)`,
  // The statement that records an attempt holds the lock of the delivery's state, so no foreign key is needed.
  sql`create table attempt (
    delivery_id text not null,
    run integer not null,
    step integer not null,
    started_at timestamptz(3) not null,
    duration_ms integer not null,
    status_code integer,
    error text,
    ip text,
    body_start text,
    was_interrupted boolean not null default false,
    primary key (delivery_id, run, step)
  )`,
  // The view is for reading some deliveries; a search by status reads delivery_state.
  sql`create view delivery_now as
    select d.*, coalesce(s.status, 'succeeded') as status, coalesce(s.run, a.run, 1) as run,
      coalesce(s.step, a.step, 0) as step, s.due_at,
      case when s.delivery_id is null then a.ended_at else s.finished_at end as finished_at,
      a.status_code as last_status_code, a.error as last_error
    from delivery d
    left join delivery_state s on s.delivery_id = d.id
    left join lateral (
      select run, step, status_code, error, started_at + duration_ms * interval '1 millisecond' as ended_at
      from attempt where delivery_id = d.id order by run desc, step desc limit 1
    ) a on true`,
];

const recovery = [
  sql`create table recovery (
    id uuid primary key,
    product_id uuid not null references product,
    endpoint_id uuid references webhook_endpoint,
    event_name text,
    statuses text[] not null check (
      cardinality(statuses) > 0 and statuses <@ array['dead', 'held']
    ),
    since timestamptz(3) not null,
    until timestamptz(3) not null check (until > since),
    total integer not null check (total between 0 and 10000),
    done integer not null default 0 check (done between 0 and total),
    queued integer not null default 0 check (queued between 0 and done),
    status text not null default 'running' check (status in ('running', 'completed')),
    after_at timestamptz(3),
    after_id text,
    started_by uuid not null references person,
    ${createdAt},
    finished_at timestamptz(3)
  )`,
  sql`create unique index recovery_running on recovery (product_id) where status = 'running'`,
  sql`create index recovery_product on recovery (product_id, created_at, id)`,
];

export const webhooks = [...endpoint, ...delivery, ...recovery];
