import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class DeliveryState extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // How a delivery stands, until it has succeeded: then its row goes, and nothing that is kept is written
  // again. What waits or is in trouble is few beside what has succeeded.
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
  sql`insert into delivery_state (delivery_id, product_id, endpoint_id, status, run, step, due_at, created_at,
      finished_at)
    select id, product_id, endpoint_id, status, run, step, due_at, created_at, finished_at
    from delivery where status <> 'succeeded'`,
  // Claims walk it by endpoint; entries that are gone are cleared one by one, so none are merged.
  sql`create index delivery_state_endpoint on delivery_state (status, endpoint_id, due_at)
    with (deduplicate_items = off)`,
  sql`create index delivery_state_product on delivery_state (product_id, status, created_at, delivery_id)`,
  sql`create index delivery_state_retry on delivery_state (due_at) where status = 'retrying'`,
  // With their columns go the indexes that spoke of them.
  sql`drop index delivery_retry`,
  sql`drop index delivery_dead`,
  sql`drop index delivery_next`,
  sql`drop index delivery_open`,
  sql`drop index delivery_unsettled`,
  sql`alter table delivery drop status, drop run, drop step, drop due_at, drop finished_at,
    drop last_status_code, drop last_error`,
  sql`alter table delivery reset (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor)`,
  // Whoever records an attempt holds the lock of the delivery's state: nobody removes what it belongs to.
  sql`alter table attempt drop constraint attempt_delivery_id_fkey`,
  // One index finds a lease and counts those of an endpoint.
  sql`drop index delivery_lease_endpoint`,
  sql`alter table delivery_lease drop constraint delivery_lease_pkey, add primary key (endpoint_id, delivery_id)`,
  // For reading some of them: by status, look into delivery_state.
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
