import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Dispatch extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const OPEN = sql`status in ('pending', 'retrying', 'held')`;

const statements = [
  // First attempts are claimed by endpoints in turn, the oldest of each first.
  sql`drop index delivery_due`,
  sql`create index delivery_next on delivery (endpoint_id, due_at)
    where status = 'pending' and lease_token is null`,
  // What is under way at an endpoint, and what a dead dispatcher left: both are always few.
  sql`create index delivery_leased on delivery (endpoint_id, lease_until) where lease_token is not null`,
  sql`create index delivery_abandoned on delivery (lease_until)
    where status = 'pending' and lease_token is not null`,
  sql`drop index delivery_open`,
  sql`create index delivery_open on delivery (endpoint_id, status) where ${OPEN}`,
  // A queue in a table lives on what vacuum clears away.
  sql`alter table delivery set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)`,
  // When the deliveries of a closed endpoint were last seen to be settled.
  sql`alter table webhook_endpoint add settled_at timestamptz(3)`,
  sql`create index webhook_endpoint_unsettled on webhook_endpoint (id)
    where greatest(disabled_at, deleted_at) > coalesce(settled_at, '-infinity'::timestamptz)`,
  // Within a lane, each share gets its turn: a delivery's endpoint.
  sql`alter table outbox add share text collate "C" not null default 'all' check (share <> '')`,
  sql`drop index outbox_unsent`,
  sql`create index outbox_unsent on outbox (workflow_type, share, id)
    where sent_at is null and parked_at is null`,
  sql`create index outbox_parked on outbox (parked_at) where parked_at is not null`,
];
