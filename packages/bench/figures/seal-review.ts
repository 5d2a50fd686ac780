import { Client, Connection } from '@temporalio/client';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const PRODUCTS = 10_000;

const OWNER = `
  insert into person (id, handle, display_name, email)
  values (gen_random_uuid(), 'seal_owner', 'Owner', 'seal_owner@example.com')`;

const LISTED = `
  with made as (
    insert into product (id, owner_person_id, name, tagline, state, listed_at)
    select gen_random_uuid(), person.id, 'Sealed ' || n, '', 'listed', now() - interval '1 year'
    from person, generate_series(1, ${PRODUCTS}) n where handle = 'seal_owner' returning id),
  offered as (
    insert into offer (id, product_id, kind, is_default)
    select gen_random_uuid(), id, 'one_time', true from made returning id)
  insert into price (id, offer_id, currency, amount_minor, is_base)
  select gen_random_uuid(), id, 'USD', 1900, true from offered`;

/** 30 people a product, with eight days of the 90 each. */
const USE = `
  insert into usage_month (product_id, person_id, month, first_at, last_at, session_days,
    heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
  select id, person, date_trunc('month', day)::date, min(day), max(day), 0, 0,
    bit_or(1 << extract(day from day)::int - 1), 0, 0, bit_or(1 << extract(day from day)::int - 1)
  from (select id from product where name like 'Sealed %') p
  cross join lateral (
    select md5(id::text || n)::uuid as person, n from generate_series(1, 30) n) people
  cross join lateral (
    select (now() - (8 + n % 9 + 9 * k) * interval '1 day')::date as day
    from generate_series(0, 7) k) days
  group by 1, 2, 3 order by 1, 2, 3`;

/** A person of a product's is a person of the store, as far as its sales are concerned. */
const SALES = `
  with buyer as (
    insert into person (id, handle, display_name, email)
    select gen_random_uuid(), 'seal_' || n, 'Buyer', 'seal_' || n || '@example.com'
    from generate_series(1, 10) n returning id),
  made as (
    insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency,
      status, expires_at)
    select gen_random_uuid(), buyer.id, p.id, o.id, r.id, 1900, 'USD', 'paid', now()
    from product p join offer o on o.product_id = p.id join price r on r.offer_id = o.id, buyer
    where p.name like 'Sealed %' returning *),
  bought as (
    insert into purchase (id, checkout_id, person_id, product_id, status, service_source,
      ask_again_at, created_at)
    select 'pay_' || id, id, person_id, product_id, 'cleared', 'buy_link', null,
      now() - interval '20 days' from made returning *)
  insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id, created_at)
  select replace(id, 'pay_', 'ch_'), id, 1900, 'USD', 100, 'succeeded', 'pi_' || id, created_at
  from bought`;

const COUNTS = `
  insert into integration_count (product_id, day, first_attempts, first_successes, callbacks, tokens)
  select id, (now() - n * interval '1 day')::date, 10, 10, 5, 5
  from product, generate_series(8, 30) n where name like 'Sealed %'`;

export const sealReview: Measurement = {
  figures: figures('U5'),
  isByNameOnly: true,
  async measure(stage) {
    await loadReviewable(stage);
    return inRounds(stage, async () => ({ U5: await review(stage) }));
  },
};

/** Products with use, sales and counts, as a review finds them. */
async function loadReviewable({ pool, say }: Stage): Promise<void> {
  const begunAt = performance.now();
  for (const statement of [OWNER, LISTED, USE, SALES, COUNTS]) await pool.query(statement);
  await pool.query('analyze usage_month, product, purchase, payment, integration_count');
  say(`loaded ${PRODUCTS} products in ${((performance.now() - begunAt) / 1_000).toFixed(0)} s`);
}

/** Returns the seconds that it took. */
async function review({ pool, servers, say }: Stage): Promise<number> {
  await pool.query('truncate seal_review, seal');
  await servers.get('worker');
  const connection = await Connection.connect({ address: await servers.temporal() });
  const client = new Client({ connection });
  const begunAt = performance.now();
  const done = await client.workflow.execute('sealReview', {
    taskQueue: 'upkeep',
    workflowId: 'seal-review',
  });
  const seconds = (performance.now() - begunAt) / 1_000;
  await connection.close();
  say(`    ${JSON.stringify(done)} in ${seconds.toFixed(1)} s`);
  return seconds;
}
