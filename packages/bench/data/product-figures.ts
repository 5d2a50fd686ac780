// What the overview of one product is made of: the first product's, the others have nothing.
import type { Stage } from '../stage.ts';
import { productId } from './catalog.ts';
import { DEAD, growDeliveries, makeEndpoints } from './deliveries.ts';
import { personId } from './people.ts';

const DAYS = 180;
const DELIVERIES = 1_000_000;
const CHECKS_A_DAY = 10_000_000 / 30;
const PEOPLE = 10_000;
const SALES_A_DAY = 300;
const FAILING_A_DAY = 100;

const DAY = `(gatehouse_now() at time zone 'UTC')::date - ago`;

/** Deliveries a second apart up to now, and half a year of checks, sales and customers. */
export async function loadOverview(stage: Stage): Promise<void> {
  await stage.data.catalog();
  await makeEndpoints(stage, { count: 5, url: DEAD });
  await growDeliveries(stage, { from: 0, to: DELIVERIES });
  const client = await stage.pool.connect();
  try {
    // Foreign keys and triggers would say nothing about reads. Earlier figures may have left rows.
    await client.query('set session_replication_role = replica');
    for (const statement of [CHECKS, PEOPLE_OF_CHECKS, ATTEMPTS, FAILING, SALES, ...CUSTOMERS]) {
      await client.query(statement);
    }
  } finally {
    client.release(true);
  }
  await stage.pool.query(
    `vacuum analyze check_day, check_count, integration_count, delivery_state, ledger_entry,
       access_grant, entitlement`,
  );
  await stage.pool.query('checkpoint');
}

const CHECKS = `
  insert into check_day (product_id, day, checks, open_checks)
  select ${productId('0')}, ${DAY}, ${CHECKS_A_DAY}::int, ${CHECKS_A_DAY}::int * 9 / 10
  from generate_series(0, ${DAYS - 1}) ago on conflict do nothing`;

const PEOPLE_OF_CHECKS = `
  insert into check_count (product_id, day, person_id, checks)
  select ${productId('0')}, ${DAY}, ${personId('n')}, ${CHECKS_A_DAY / PEOPLE}::int
  from generate_series(0, 29) ago, generate_series(1, ${PEOPLE}) n on conflict do nothing`;

const ATTEMPTS = `
  insert into integration_count (product_id, day, first_attempts, first_successes)
  select ${productId('0')}, ${DAY}, ${DELIVERIES / 30}::int, ${DELIVERIES / 30}::int - 300
  from generate_series(0, ${DAYS - 1}) ago on conflict do nothing`;

const FAILING = `
  insert into delivery_state (delivery_id, product_id, endpoint_id, status, step, due_at, created_at)
  select id, product_id, endpoint_id, 'retrying', 2, gatehouse_now(), created_at from (
    select d.*, row_number() over (partition by (created_at at time zone 'UTC')::date) as place
    from delivery d) d where place <= ${FAILING_A_DAY}`;

const SALES = `
  insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id, product_id,
    created_at)
  select 'ch_' || ago || '_' || n || kind, 'seller', kind, amount, 'USD', 'ch_' || ago || '_' || n,
    ${productId('0')}, (${DAY})::timestamp at time zone 'UTC'
  from generate_series(0, ${DAYS - 1}) ago, generate_series(1, ${SALES_A_DAY}) n,
    (values ('gross', 1900), ('cut', -190), ('refund', -1900)) entry (kind, amount)
  where kind <> 'refund' or n % 20 = 0`;

const CUSTOMERS = [
  `insert into entitlement (product_id, person_id, id, type, source, announced_active)
   select ${productId('0')}, ${personId('n')}, uuidv7(), 'purchase', 'pay_' || n, true
   from generate_series(1, ${PEOPLE}) n on conflict do nothing`,
  `insert into access_grant (id, product_id, person_id, type, source, starts_at)
   select uuidv7(), ${productId('0')}, ${personId('n')}, 'purchase', 'pay_' || n,
     gatehouse_now() - n % ${DAYS} * interval '1 day'
   from generate_series(1, ${PEOPLE}) n`,
];
