import pg from 'pg';
import { PreparingClient } from '../../platform/database/preparing-client.ts';
import { SCHEMA } from './schema.ts';

export type Transaction = pg.PoolClient;

/** Reads within a transaction or without. */
export type Queryable = pg.Pool | Transaction;

// Any number that nobody else locks: it makes processes that start together wait for each other.
const SETUP_LOCK = 7_233_424_242;

/** The simulator's own schema in the given database, made if it is not there. */
export async function openSimulatorDatabase(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    Client: PreparingClient,
    connectionString: url,
    max: 10,
    application_name: 'payment-simulator',
    connectionTimeoutMillis: 5_000,
  });
  // A connection broke: the pool opens another, and the statement that it was lent for fails by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await transaction(pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
      await client.query(SCHEMA);
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return pool;
}

export async function transaction<HttpResponse>(
  pool: pg.Pool,
  work: (client: Transaction) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const answer = await work(client);
    await client.query('commit');
    return answer;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}
