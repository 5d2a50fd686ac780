import type pg from 'pg';
import { PRODUCTS, productId } from './catalog.ts';
import { PEOPLE, personId } from './people.ts';

const PER_PERSON = 5;
const PER_PERSON_GROWN = 50;
const STEP = 37;
const LONGEST_GROWTH_MS = 900_000;

/** Everybody has five; the first is to product n % 1000 of the n-th person. */
export async function loadEntitlements(pool: pg.Pool): Promise<void> {
  await insertWithoutChecks(pool, (insert) => insert(0, PER_PERSON - 1));
  await pool.query('vacuum analyze entitlement');
}

/** Everybody gets so many more that ten times as many are there. */
export async function growEntitlements(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  const deadline = performance.now() + LONGEST_GROWTH_MS;
  await insertWithoutChecks(pool, async (insert) => {
    for (let first = PER_PERSON; first < PER_PERSON_GROWN; first += PER_PERSON) {
      if (performance.now() > deadline) throw new Error('the entitlements take too long to load');
      await insert(first, first + PER_PERSON - 1);
      say(`  ${((first + PER_PERSON) * PEOPLE).toLocaleString('en')} entitlements`);
    }
  });
  await pool.query('vacuum analyze entitlement');
  await pool.query('checkpoint'); // what is left to write would be written while others are measured
}

type Insert = (first: number, last: number) => Promise<unknown>;

async function insertWithoutChecks(
  pool: pg.Pool,
  work: (insert: Insert) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    // Millions of checks of foreign keys would say nothing about reads.
    await client.query('set session_replication_role = replica');
    await work((first, last) =>
      client.query(
        `insert into entitlement (product_id, person_id, id, type, source, announced_active)
         select ${productId(`(n + k * ${STEP}) % ${PRODUCTS}`)}, ${personId('n')}, uuidv7(),
           'purchase', 'pay_' || n || '_' || k, true
         from generate_series(1, ${PEOPLE}) n, generate_series($1::int, $2::int) k`,
        [first, last],
      ),
    );
  } finally {
    client.release(true);
  }
}
