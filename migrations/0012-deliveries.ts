import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Deliveries extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const created = 'created_at timestamptz(3) not null default gatehouse_now()';

const statements = [
  // The console's list of deliveries: by whatever it is filtered, one page is one walk along an index.
  sql`create index delivery_event on delivery (product_id, event_name, created_at, id)`,
  sql`create index delivery_endpoint on delivery (endpoint_id, created_at, id)`,
  // Most deliveries succeed: they leave this one at once.
  sql`create index delivery_unsettled on delivery (product_id, status, created_at, id)
    where status <> 'succeeded'`,
  // Since when a retry has failed and nothing has succeeded; when a delivery was last given up; when
  // the team was last told so.
  sql`alter table webhook_endpoint
    add failing_since timestamptz(3),
    add last_dead_at timestamptz(3),
    add dead_notified_at timestamptz(3)`,
  sql`create index webhook_endpoint_unnotified on webhook_endpoint (last_dead_at)
    where deleted_at is null and last_dead_at > coalesce(dead_notified_at, '-infinity'::timestamptz)`,
  sql`create index webhook_endpoint_failing on webhook_endpoint (failing_since)
    where deleted_at is null and disabled_at is null and failing_since is not null`,
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
    ${created},
    finished_at timestamptz(3)
  )`,
  sql`create unique index recovery_running on recovery (product_id) where status = 'running'`,
  sql`create index recovery_product on recovery (product_id, created_at, id)`,
  // What somebody should know: a person, or those of a team who have one of the roles.
  sql`create table notification (
    id uuid primary key,
    kind text not null check (kind ~ '^[a-z]+(_[a-z]+)*$'),
    product_id uuid references product,
    team_id uuid references team,
    person_id uuid references person,
    roles text[] not null default '{}',
    data jsonb not null default '{}',
    ${created},
    constraint notification_one_audience check (
      num_nonnulls(team_id, person_id) = 1 and (team_id is not null) = (cardinality(roles) > 0)
    )
  )`,
  sql`create index notification_team on notification (team_id, created_at, id) where team_id is not null`,
  sql`create index notification_person on notification (person_id, created_at, id)
    where person_id is not null`,
  sql`create index notification_old on notification (created_at)`,
  sql`create table notification_read (
    notification_id uuid not null references notification on delete cascade,
    person_id uuid not null references person,
    read_at timestamptz(3) not null default gatehouse_now(),
    primary key (notification_id, person_id)
  )`,
  // A product's days, for its diagnostics; updates of a row leave these alone.
  sql`create index usage_day_of_product on usage_day (product_id, day)`,
  sql`create index check_count_of_product on check_count (product_id, day)`,
  // What is over is removed in batches, the oldest first.
  sql`create index processor_event_handled on processor_event (handled_at) where handled_at is not null`,
  sql`create index click_created on click (created_at)`,
];
