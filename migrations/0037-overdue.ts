import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Overdue extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // What only a workflow moves on is found by when it was due, however much else there is.
  sql`create index entitlement_recheck on entitlement (recheck_at) where recheck_at is not null`,
  sql`create index processor_event_waiting on processor_event (received_at)
    where handled_at is null and dead_letter_reason is null`,
  // Since when a mail waits to be sent; null for one that was sent or given up, or is handed over as a link.
  sql`alter table mail_token add queued_at timestamptz(3)`,
  sql`create index mail_token_queued on mail_token (queued_at) where queued_at is not null`,
  // The last Updates of their workflows, by id: a workflow that is reset hears of each again.
  sql`alter table subscription add seen_updates text[] not null default '{}'`,
  sql`alter table membership add seen_updates text[] not null default '{}'`,
];
