// Tables in parts. A part is emptied or dropped as a whole, so that no row is ever deleted.
import { sql } from './sql.ts';

// The schema of the parts: the application reaches them through their tables alone.
const schema = sql`create schema partitions`;

// A crash of the database empties the windows: the limits forget one minute.
const rateWindows = [0, 1, 2].map(
  (slot) => sql`create unlogged table partitions.rate_window_${slot}
    partition of rate_window for values in (${slot}) with (fillfactor = 50)`,
);

const emptyRateWindows = sql`create function empty_rate_windows() returns integer
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
  declare
    second constant bigint := floor(extract(epoch from gatehouse_now()));
    slot constant regclass := format('partitions.rate_window_%s', (second / 60 + 1) % 3)::regclass;
  begin
    -- The next minute counts in this part: it is left alone shortly before that begins.
    if second % 60 >= 50 or pg_relation_size(slot) = 0 then
      return 0;
    end if;
    execute format('truncate %s', slot);
    return 1;
  end $$`;

/** An id of this moment by the database's clock, so that its row has a month. */
export const timeOrderedId = sql`create function time_ordered_id() returns uuid
  language sql volatile parallel safe
  as $$ select uuidv7(gatehouse_now() - date_trunc('milliseconds', statement_timestamp())) $$`;

// Ids begin with 48 bits of milliseconds: a UUID in hexadecimal, a delivery's ULID in base 32.
const firstId = sql`create function first_id(key regtype, since timestamptz) returns text
  language sql immutable as $$
    select case key
      when 'date'::regtype then ((since at time zone 'UTC')::date)::text
      when 'uuid'::regtype
      then regexp_replace(lpad(to_hex(ms), 12, '0'), '(.{8})(.{4})', '\1-\2-0000-0000-000000000000')
      else 'evt_' || (select string_agg(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> 5 * place) & 31)::int + 1, 1), ''
        order by place desc) from generate_series(0, 9) place)
      end
    from cast(extract(epoch from since) * 1000 as bigint) ms $$`;

// A new part is attached and not created in place, which would lock its table against all. The
// request log alone is kept by day: a week of it in months would be kept for five weeks. A review of
// the seal reads 90 days of evidence: those of a demonstration are written into the months before.
const makePartitions = sql`create function make_partitions() returns integer language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '1s' as $$
  declare
    missing record;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtext('gatehouse parts'));
    for missing in
      select c.relname as parent, part, first_id(a.atttypid, start) as first,
        first_id(a.atttypid, start + step) as next,
        -- A row of evidence gains a day at a time: with free space in its page that writes no index.
        case c.relname when 'usage_month' then 'with (fillfactor = 90)' else '' end as storage
      from pg_partitioned_table p
      join pg_class c on c.oid = p.partrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
      join (values ('day', '_YYYY_MM_DD', interval '1 day', interval '7 days'),
          ('month', '_YYYY_MM', '1 month', '3 months')) kept (unit, suffix, step, ahead)
        on unit = case c.relname when 'api_request' then 'day' else 'month' end
      cross join generate_series(date_trunc(unit, gatehouse_now())
          - case c.relname when 'usage_month' then interval '3 months' else step end,
        gatehouse_now() + ahead, step) start
      cross join format('partitions.%I', c.relname || to_char(start, suffix)) part
      where p.partstrat = 'r' and c.relnamespace = 'public'::regnamespace
        and to_regclass(part) is null
      order by 1, 2
    loop
      execute format('create table %s (like %I including all) %s', missing.part, missing.parent, missing.storage);
      execute format('alter table %I attach partition %s for values from (%L) to (%L)',
        missing.parent, missing.part, missing.first, missing.next);
      made := made + 1;
    end loop;
    return made;
  end $$`;

// The table is locked for as long as the catalogue changes, its files go after that. Where a long
// statement is in the way, requests wait behind this one no longer than the timeout.
const dropPartition = sql`create function drop_partition() returns text language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '100ms' as $$
  declare
    old text;
  begin
    select format('partitions.%I', part) into old
    from (values ('api_request', interval '7 days'), ('attempt', '90 days'),
      ('audit_address', '90 days'), ('click', '400 days'), ('delivery', '90 days'),
      ('event', '90 days'), ('processor_event_body', '90 days'),
      ('usage_month', '26 months')) kept (parent, age)
    cross join lateral (
      select relname as part, to_date(substr(relname, length(parent) + 2), 'YYYY_MM_DD')
        + case parent when 'api_request' then interval '1 day' else '1 month' end as ends
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = to_regclass(parent) offset 0) dated -- no other name is read as a date
    where ends <= gatehouse_now() - age
      -- The states of deliveries go first.
      and (parent not in ('attempt', 'delivery', 'event') or not exists (
        select from delivery_state where delivery_id < first_id('text', ends)))
      -- An event that waits for an operator keeps the bodies of its month.
      and (parent <> 'processor_event_body' or not exists (
        select from processor_event
        where body_id >= first_id('uuid', ends - interval '1 month')::uuid
          and body_id < first_id('uuid', ends)::uuid))
      -- Evidence is summed first.
      and (parent <> 'usage_month' or exists (
        select from usage_closed_day where day >= ends::date - 1 and finished_at is not null))
    order by part limit 1;
    if old is not null then
      execute format('drop table %s', old);
    end if;
    return old;
  end $$`;

const monthsAhead = sql`create function months_ahead() returns integer language sql stable
  set search_path = public, pg_temp set timezone = 'UTC' as $$
    select coalesce(min(ahead), 0)::int from (
      select count(*) filter (where right(c.relname, 7) > to_char(gatehouse_now(), 'YYYY_MM')) as ahead
      from pg_partitioned_table p join pg_inherits i on i.inhparent = p.partrelid
      join pg_class c on c.oid = i.inhrelid
      where p.partstrat = 'r' and p.partrelid <> 'api_request'::regclass group by p.partrelid) months $$`;

export const partitions = [
  schema,
  ...rateWindows,
  emptyRateWindows,
  firstId,
  makePartitions,
  dropPartition,
  monthsAhead,
];

/** After everything that a part copies from its table. */
export const firstParts = sql`select make_partitions()`;
