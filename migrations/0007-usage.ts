import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Usage extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const count = 'integer not null default 0';

// Without foreign keys: what is written here was read from living rows in the same request, neither
// products nor people are ever removed, and a report must not wait for whoever locks one of them.
const statements = [
  sql`create table usage_day (
    product_id uuid not null,
    person_id uuid not null,
    day date not null,
    first_kind text not null
      check (first_kind in ('session', 'heartbeat', 'activity', 'profile_read')),
    is_qualifying boolean not null,
    sessions ${count},
    heartbeats ${count},
    activities ${count},
    profile_reads ${count},
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null check (last_at >= first_at),
    primary key (product_id, person_id, day),
    check (not is_qualifying or heartbeats + activities + profile_reads > 0)
  ) with (fillfactor = 85)`,
  // Evidence earns money: a day may rise to qualifying, and nothing takes that back.
  sql`create function keep_evidence() returns trigger language plpgsql as $$
    begin
      raise exception 'a qualified day stays one' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger usage_day_only_rises before update on usage_day
    for each row when (old.is_qualifying and not new.is_qualifying)
    execute function keep_evidence()`,
  sql`create table check_count (
    product_id uuid not null,
    person_id uuid not null,
    day date not null,
    checks ${count},
    primary key (product_id, person_id, day)
  ) with (fillfactor = 85)`,
];
