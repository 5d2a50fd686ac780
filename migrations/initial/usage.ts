import { sql } from './sql.ts';

const count = 'integer not null default 0';

// These tables have no foreign keys. The statement that writes a row has read its product and person, neither
// is ever removed, and a report must not wait for a lock of either.
export const usage = [
  // The rows of today are updated all day: with free space in their pages the updates write no index. With the
  // day before the person, the primary key finds the days of a product too.
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
    primary key (product_id, day, person_id),
    check (not is_qualifying or heartbeats + activities + profile_reads > 0)
  ) with (fillfactor = 50)`,
  // Evidence earns money: a day may become a qualifying day and stays one.
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
    primary key (product_id, day, person_id)
  ) with (fillfactor = 50)`,
  // One process appends a row for all checks of a moment; a background job adds the rows up.
  sql`create table check_batch (
    id bigint generated always as identity primary key,
    day date not null,
    -- Random ids do not compress; the attempt costs more than the rest of the insert.
    product_ids uuid[] storage external not null,
    person_ids uuid[] storage external not null,
    are_known boolean[] storage external not null,
    checks integer[] storage external not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
];
