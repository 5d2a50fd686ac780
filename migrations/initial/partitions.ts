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
    select case key when 'uuid'::regtype
      then regexp_replace(lpad(to_hex(ms), 12, '0'), '(.{8})(.{4})', '\1-\2-0000-0000-000000000000')
      else 'evt_' || (select string_agg(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> 5 * place) & 31)::int + 1, 1), ''
        order by place desc) from generate_series(0, 9) place)
      end
    from cast(extract(epoch from since) * 1000 as bigint) ms $$`;

// A new part is attached and not created in place, which would lock its table against all.
const makeMonths = sql`create function make_months() returns integer language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '1s' as $$
  declare
    missing record;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtext('gatehouse months'));
    for missing in
      select c.relname as parent, format('partitions.%I', c.relname || to_char(month, '_YYYY_MM')) as part,
        case a.atttypid when 'date'::regtype then month::date::text else first_id(a.atttypid, month) end as first,
        case a.atttypid when 'date'::regtype then (month + interval '1 month')::date::text
          else first_id(a.atttypid, month + interval '1 month') end as next,
        -- A row of evidence gains a day at a time: with free space in its page that writes no index.
        case c.relname when 'usage_month' then 'with (fillfactor = 90)' else '' end as storage
      from pg_partitioned_table p
      join pg_class c on c.oid = p.partrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
      cross join generate_series(date_trunc('month', gatehouse_now())
          - case c.relname when 'usage_month' then interval '3 months' else interval '1 month' end,
        gatehouse_now() + interval '3 months', interval '1 month') month
      where p.partstrat = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'api_request'
        and to_regclass(format('partitions.%I', c.relname || to_char(month, '_YYYY_MM'))) is null
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
const dropMonth = sql`create function drop_month() returns text language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '100ms' as $$
  declare
    old text;
  begin
    select format('partitions.%I', part) into old
    from (values ('attempt', interval '90 days'), ('audit_address', '90 days'), ('click', '400 days'),
      ('delivery', '90 days'), ('event', '90 days'), ('processor_event_body', '90 days'),
      ('usage_month', '26 months')) kept (parent, age)
    cross join lateral (
      select relname as part, to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' as ends
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = to_regclass(parent) offset 0) month -- no other name is read as a month
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

// The request log alone is kept by day: a week of it in months would be kept for five weeks.
const makeDays = sql`create function make_days() returns integer language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '1s' as $$
  declare
    missing record;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtext('gatehouse days'));
    for missing in
      select part, first_id('uuid', day) as first, first_id('uuid', day + interval '1 day') as next
      from generate_series(date_trunc('day', gatehouse_now()) - interval '1 day',
          gatehouse_now() + interval '7 days', interval '1 day') day,
        format('partitions.api_request_%s', to_char(day, 'YYYY_MM_DD')) part
      where to_regclass(part) is null order by day
    loop
      execute format('create table %s (like api_request including all)', missing.part);
      execute format('alter table api_request attach partition %s for values from (%L) to (%L)',
        missing.part, missing.first, missing.next);
      made := made + 1;
    end loop;
    return made;
  end $$`;

const dropDay = sql`create function drop_day() returns text language plpgsql
  security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '100ms' as $$
  declare
    old text;
  begin
    select format('partitions.%I', relname) into old
    from (
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'api_request'::regclass offset 0) part -- no other name is read as a day
    where to_date(right(relname, 10), 'YYYY_MM_DD') + interval '1 day' <= gatehouse_now() - interval '7 days'
    order by relname limit 1;
    if old is not null then
      execute format('drop table %s', old);
    end if;
    return old;
  end $$`;

export const partitions = [
  schema,
  ...rateWindows,
  emptyRateWindows,
  firstId,
  makeMonths,
  dropMonth,
  makeDays,
  dropDay,
  monthsAhead,
];

/** After everything that a part copies from its table. */
export const firstMonths = sql`select make_months(), make_days()`;
