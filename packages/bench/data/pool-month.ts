// The last month of Member: charges, and days of use of Included products.
import type pg from 'pg';
import { personId } from './people.ts';

export type PoolLoad = { members: number; products: number; uses: number; days: number };

/** Each member uses so many products on so many days; the month before it is frozen and empty. */
export async function loadPoolMonth(pool: pg.Pool, load: PoolLoad): Promise<string> {
  const { members, products, uses, days } = load;
  await pool.query(
    `truncate usage_month, usage_day_sum, usage_month_sum, usage_closed_day, pool_line;
     delete from included_span where product_id in (select id from product where name like 'Pooled %');
     delete from product where name like 'Pooled %'`,
  );
  await pool.query(
    `insert into product (id, owner_person_id, name, tagline, state, listed_at, included_with_member)
     select ${pooledId('n')}, ${personId('150001 + n')}, 'Pooled ' || n, '', 'listed', now(), true
     from generate_series(0, $1::int - 1) n`,
    [products],
  );
  await pool.query(
    `update included_span set started_at = now() - interval '1 year'
     where product_id in (select id from product where name like 'Pooled %')`,
  );
  await loadCharges(pool, members);
  await pool.query(
    `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     select ${personId('n')}, ${pooledId('(n * 7 + place * 61) % $2')}, ${MONTH}, ${MONTH}, ${MONTH},
       mask, 0, mask, 0, 0, mask
     from generate_series(1, $1::int) n cross join generate_series(0, $3::int - 1) place
     cross join lateral (
       select bit_or(1 << ((n + place * 3 + day * 2) % 28)) as mask from generate_series(1, $4::int) day
     ) days
     order by place, random()`,
    [members, products, uses, days],
  );
  await pool.query('vacuum analyze product, included_span, membership, payment, usage_month');
  const { rows } = await pool.query<{ id: string }>(
    `select to_char(${MONTH}, 'YYYY-MM') || ':USD' as id`,
  );
  return rows[0]!.id;
}

const MONTH = `(date_trunc('month', now() at time zone 'UTC') - interval '1 month')::date`;

const pooledId = (n: string) => `('01900000-0000-7000-b000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

async function loadCharges(pool: pg.Pool, members: number): Promise<void> {
  const { rowCount } = await pool.query(`select from membership where currency = 'USD' limit 1`);
  if (rowCount) return;
  await pool.query(
    `insert into member_price (id, currency, billing_interval, amount_minor, retired_at)
     values (gen_random_uuid(), 'USD', 'month', 999, now())`,
  );
  await pool.query(
    `with joined as (
       insert into membership (id, person_id, status, price_id, amount_minor, currency, billing_interval)
       select gen_random_uuid(), ${personId('n')}, 'active', p.id, 999, 'USD', 'month'
       from member_price p, generate_series(1, $1::int) n
       where p.currency = 'USD' and p.amount_minor = 999
       returning id),
     paid as (
       insert into payment (id, membership_id, gross_minor, currency, cut_minor, status, processor_id,
         period_start, period_end, created_at)
       select 'pay_' || id, id, 999, 'USD', 0, 'succeeded', 'pi_' || id, ${MONTH}, ${MONTH} + 30,
         ${MONTH} + random() * interval '27 days'
       from joined returning id, created_at)
     insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id, created_at)
     select id, account, 'gross', sign * 999, 'USD', id, created_at
     from paid cross join (values ('platform', 1), ('buyer', -1)) side (account, sign)`,
    [members],
  );
  await pool.query('vacuum analyze ledger_entry');
}
