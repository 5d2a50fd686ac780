import { Migration } from '@mikro-orm/migrations';
import { firstParts, partitions, timeOrderedId } from './initial/partitions.ts';
import { rules } from './initial/rules.ts';
import { sql } from './initial/sql.ts';
import { storage } from './initial/storage.ts';
import { tables } from './initial/tables.ts';

// Compares names that are nearly the same. Any owner of a database may create it.
const extensions = [sql`create extension pg_trgm`];

/** The defaults of columns call these, so they come before the tables that they read. */
const functions = [
  sql`set local check_function_bodies = off`,
  // Every statement reads the time from this function, so that a test can move it.
  sql`create function gatehouse_now() returns timestamptz language sql stable parallel safe
    as $$ select date_trunc('milliseconds', statement_timestamp()) $$`,
  timeOrderedId,
  sql`create function platform_fee_now() returns integer language sql stable
    as $$ select basis_points from platform_fee order by id desc limit 1 $$`,
];

// The view is for reading some deliveries; a search by status reads delivery_state.
const view = sql`create view delivery_now as
  select d.*, coalesce(s.status, 'succeeded') as status, coalesce(s.run, a.run, 1) as run,
    coalesce(s.step, a.step, 0) as step, s.due_at,
    case when s.delivery_id is null then a.ended_at else s.finished_at end as finished_at,
    a.status_code as last_status_code, a.error as last_error,
    case when s.delivery_id is null then a.cohort else s.cohort end as cohort
  from delivery d
  left join delivery_state s on s.delivery_id = d.id
  left join lateral (
    select run, step, status_code, error, cohort, started_at + duration_ms * interval '1 millisecond' as ended_at
    from attempt where delivery_id = d.id order by run desc, step desc limit 1
  ) a on true`;

const settings = [
  sql`insert into enabled_currency (currency) values ('USD'), ('BRL'), ('EUR'), ('GBP')`,
  sql`insert into platform_fee (basis_points, since) values (1000, to_timestamp(0))`,
  sql`insert into pool_setting (pool_share_bps, minimum_minor, since)
    values (7000, 1000, to_timestamp(0))`,
];

export class Initial extends Migration {
  override up(): void {
    const statements = [
      ...extensions,
      ...functions,
      ...tables,
      ...partitions,
      ...rules,
      ...storage,
      firstParts,
      view,
      ...settings,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
