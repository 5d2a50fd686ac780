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

export const partitions = [schema, ...rateWindows, emptyRateWindows];
