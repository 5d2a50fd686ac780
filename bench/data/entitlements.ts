import type pg from 'pg';
import { PRODUCTS, productId } from './catalog.ts';
import { PEOPLE, personId } from './people.ts';

const PER_PERSON = 5;
const STEP = 37;

/** Everybody has five; the first is to product n % 1000 of the n-th person. */
export async function loadEntitlements(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    // A million checks of foreign keys would say nothing about reads.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into entitlement (product_id, person_id, id, type, source, announced_active)
       select ${productId(`(n + k * ${STEP}) % ${PRODUCTS}`)}, ${personId('n')}, gen_random_uuid(),
         'purchase', 'pay_' || n || '_' || k, true
       from generate_series(1, ${PEOPLE}) n, generate_series(0, ${PER_PERSON - 1}) k`,
    );
  } finally {
    client.release(true);
  }
  await pool.query('vacuum analyze entitlement');
}
