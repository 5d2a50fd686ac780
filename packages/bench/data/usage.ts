// Evidence of use: months as masks of days.
import type pg from 'pg';
import { personId } from './people.ts';
import { productId } from './catalog.ts';

/** People who used a product in this month, each on as many of its days up to today. */
export async function loadMonth(
  pool: pg.Pool,
  { people, days, product }: { people: number; days: number; product: number },
): Promise<void> {
  await pool.query('truncate usage_month, usage_day_sum, usage_month_sum, usage_closed_day');
  await pool.query(
    `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     select ${personId('n')}, ${productId('$1::int')}, month, month, last_at, mask, 0, mask, 0, 0, mask
     from generate_series(1, $2::int) n
     cross join (select date_trunc('month', now() at time zone 'UTC')::date as month,
       extract(day from now() at time zone 'UTC')::int as today) calendar
     cross join lateral (
       select bit_or(1 << ((n + day) % today)) as mask,
         month + (max((n + day) % today) || ' days 12 hours')::interval as last_at
       from generate_series(1, $3::int) day) days
     order by random()`,
    [product, people, days],
  );
  await pool.query('vacuum analyze usage_month');
}

export async function clearMonths(pool: pg.Pool): Promise<void> {
  await pool.query('truncate usage_month, usage_day_sum, usage_month_sum, usage_closed_day');
}
