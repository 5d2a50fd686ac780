import type pg from 'pg';
import { randomUUID } from 'node:crypto';
import { readSecretKeys } from '../../../platform/config.ts';
import { createEncryptor } from '../../../domain/shared/secrets.ts';
import { encryptEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import type { Stage } from '../stage.ts';
import { PRODUCTS, productId } from './catalog.ts';
import { personId } from './people.ts';

/** The URL of an endpoint where nothing listens. */
export const DEAD = 'http://127.0.0.1:1';

const PER_PRODUCT = 5;
const SECRET = 'whsec_of_the_bench_0123456789abcdefghijklmnopqrst';

/** Endpoints at one receiver: the last of them at `/hang`. Replaces those of an earlier figure. */
export async function makeEndpoints(
  stage: Stage,
  { count, url }: { count: number; url: string },
): Promise<string[]> {
  await stage.data.catalog();
  const { pool } = stage;
  await clearEndpoints(pool);
  const encryptor = createEncryptor(readSecretKeys(stage.secretKeys));
  const ids = Array.from({ length: count }, () => randomUUID());
  const encrypted = ids.map((id) => encryptEndpointSecret(encryptor, id, SECRET));
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
     select id, ${productId(`n / ${PER_PRODUCT} % ${PRODUCTS}`)}, n % ${PER_PRODUCT} + 1,
       $1 || case when n = $2 - 1 then '/hang' else '/' || n end, '{purchase.completed}', encrypted
     from unnest($3::uuid[], $4::text[]) with ordinality given (id, encrypted, place),
       lateral (select place::int - 1 as n) counted order by n returning id`,
    [url, count, ids, encrypted],
  );
  await pool.query('vacuum analyze webhook_endpoint');
  return rows.map((row) => row.id);
}

/** Removes all endpoints and their deliveries, and gives products their first owners again. */
export async function clearEndpoints(pool: pg.Pool): Promise<void> {
  await clearDeliveries(pool);
  await pool.query('delete from webhook_endpoint');
  await shareOwners(pool, []);
}

/** The products of each list of endpoints have one owner, and every other product its own. */
export async function shareOwners(
  pool: pg.Pool,
  lists: readonly (readonly string[])[],
): Promise<void> {
  await pool.query(
    `update product p set owner_person_id = ${personId('coalesce(s.owner, n + 1)')}
     from generate_series(0, ${PRODUCTS - 1}) n, lateral (
       select min(shared.owner) as owner from unnest($1::uuid[], $2::int[]) shared (id, owner)
       join webhook_endpoint e on e.id = shared.id where e.product_id = ${productId('n')}
     ) s where p.id = ${productId('n')}
       and owner_person_id <> ${personId('coalesce(s.owner, n + 1)')}`,
    [lists.flat(), lists.flatMap((list, owner) => list.map(() => owner + 1))],
  );
}

const DEADLOCK_DETECTED = '40P01';

/** A worker that claims meanwhile locks the same tables in another order. */
export async function clearDeliveries(pool: pg.Pool): Promise<void> {
  try {
    await pool.query('truncate outbox, delivery_lease, attempt, delivery_state, delivery, event');
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK_DETECTED) throw error;
    await clearDeliveries(pool);
  }
}

const DATA = `jsonb_build_object('purchase_id', 'pay_01JD8Q6ZK0V3H5T7W9Y1A2B3C4', 'user_id', e.product_id,
  'product_id', e.product_id, 'gross_minor', 1900, 'currency', 'USD')`;

// The body with the id first, as the product writes it.
const MAKE = `
  with made as materialized (
    select time_ordered_id() as event_id, e.id as endpoint_id, e.product_id, ${DATA} as data,
      (select first_id('text', gatehouse_now()))
        || upper(left(replace(gen_random_uuid()::text, '-', ''), 16)) as id
    from unnest($1::uuid[]) as wanted (id) join webhook_endpoint e using (id)
  ),
  told as (
    insert into event (id, product_id, name, data, created_at)
    select event_id, product_id, 'purchase.completed', data, gatehouse_now() from made returning id
  ),
  queued as (
    insert into delivery_state (delivery_id, endpoint_id, product_id, status, step, due_at, created_at)
    select id, endpoint_id, product_id, $2, case when $2 = 'dead' then 5 else 0 end,
      case when $2 = 'pending' then gatehouse_now() end, gatehouse_now() from made
  )
  insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
  select id, event_id, endpoint_id, product_id, 'purchase.completed',
    convert_to('{"id":"' || id || '","event":"purchase.completed","created_at":"'
      || to_char(gatehouse_now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","data":' || data::text || '}', 'utf8'),
    gatehouse_now()
  from made returning id, endpoint_id as "endpointId"`;

export type Made = { id: string; endpointId: string };

/** One event and its delivery for each endpoint in the list, committed together. */
export async function makeDeliveries(
  pool: pg.Pool,
  endpointIds: readonly string[],
  status: 'pending' | 'dead' = 'pending',
): Promise<Made[]> {
  const values = [endpointIds, status];
  return (await pool.query<Made>({ name: 'make', text: MAKE, values })).rows;
}

export async function notify(pool: pg.Pool, channel: string): Promise<void> {
  await pool.query({ name: 'notify', text: `select pg_notify($1, '')`, values: [channel] });
}

const GROWTH_BATCH = 500_000;

/** Deliveries that went well, of all endpoints in turn, a second apart; of no event. */
export async function growDeliveries(
  { pool, say }: Stage,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const client = await pool.connect();
  try {
    for (let first = from; first < to; first += GROWTH_BATCH) {
      const last = Math.min(first + GROWTH_BATCH, to) - 1;
      await client.query(GROW, [first, last, to - 1]);
      if (last - first + 1 === GROWTH_BATCH) say(`  ${(last + 1).toLocaleString('en')} deliveries`);
    }
  } finally {
    client.release(true);
  }
  await pool.query('vacuum analyze delivery, delivery_state, attempt');
  await pool.query('checkpoint'); // what is left to write would be written while others are measured
}

const GROWN_AT = `gatehouse_now() - ($3::int - n) * interval '1 second'`;

// All of this month.
const GROWN_ID = `(select first_id('text', gatehouse_now())) || lpad(n::text, 16, '0')`;

const GROW = `
  with endpoints as materialized (
    select id, product_id, row_number() over (order by product_id, slot) - 1 as place,
      count(*) over () as number
    from webhook_endpoint
  ),
  attempted as (
    insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, ip, body_start)
    select ${GROWN_ID}, 1, 0, ${GROWN_AT}, 20, 200, '192.0.2.1', ''
    from generate_series($1::int, $2::int) n
  )
  insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
  select ${GROWN_ID}, uuidv7(), e.id, e.product_id, 'purchase.completed',
    convert_to('{"id":"' || ${GROWN_ID} || '"}', 'utf8'),
    ${GROWN_AT}
  from generate_series($1::int, $2::int) n join endpoints e on e.place = n % e.number`;
