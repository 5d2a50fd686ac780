import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ENTITIES } from '../../../domain/entities.ts';
import { PreparingClient } from '../../../platform/database/preparing-client.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';

/** The migrated database that every test file's own is copied from. */
export const TEMPLATE = 'gatehouse_template';

const OWNER = 'gatehouse_owner';
const APP = 'gatehouse_app';
const ALREADY_THERE = '42P04';

/** On a busy machine an answer may be late. */
export const DATABASE_TIMEOUT_MS = 20_000;

export type TestDatabase = {
  /** For the application: as its role, which reads and writes rows. */
  url: string;
  /** For the test and the simulator: as the superuser. */
  ownUrl: string;
  /** Runs one statement as the superuser and returns its rows. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Moves the clock that every SQL statement of this database reads. Throttles end by the process's
   * clock, which stands: their ends come nearer by as much.
   */
  advance(milliseconds: number): Promise<void>;
  drop(): Promise<void>;
};

/** The clock that each database moves by itself; once, in the template. */
export async function addTestClock(templateUrl: string): Promise<void> {
  await onServer(
    templateUrl,
    `create table test_clock (ahead interval not null);
    insert into test_clock values ('0');
    alter table test_clock owner to ${OWNER};
    grant select on test_clock to ${APP};
    create or replace function gatehouse_now() returns timestamptz language sql stable parallel safe
      as $$ select date_trunc('milliseconds', statement_timestamp()) + ahead from test_clock $$`,
  );
}

/** The application's password was hashed as in production: two milliseconds of PostgreSQL at each connection. */
export async function hashCheaply(templateUrl: string): Promise<void> {
  const password = pg.escapeLiteral(new URL(templateUrl).password);
  await onServer(templateUrl, `alter role ${APP} password ${password}`);
}

/** One database per test file, copied from the migrated template, with a clock of its own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { name, pool, present } = await openCopy(TEMPLATE);
  await restrict(pool, name);
  return present;
}

/** The same, whose simulator looks after each step of the clock: by itself it does once a second. */
export function wakingAfterSteps(database: TestDatabase, wake: () => void): TestDatabase {
  return {
    ...database,
    async advance(milliseconds) {
      await database.advance(milliseconds);
      wake();
    },
  };
}

/** Another one with the same rows; whoever is connected to the first one is cut off. */
export async function copyTestDatabase({ query, url }: TestDatabase): Promise<TestDatabase> {
  const source = new URL(url).pathname.slice(1);
  const others = 'datname = current_database() and pid <> pg_backend_pid()';
  await query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${others}`);
  await query(`select pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);
  const { name, pool, present } = await openCopy(source);
  await restrict(pool, name);
  return present;
}

const restrict = (pool: pg.Pool, name: string) =>
  pool.query(`
    revoke all on database ${name} from public;
    grant connect on database ${name} to ${APP}`);

async function openCopy(source: string) {
  const serverUrl = process.env['GATEHOUSE_TEST_DATABASE_URL'];
  if (!serverUrl) throw new Error('Run the tests with `npm test`: it starts their database.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(
    serverUrl,
    `create database ${name} template ${source} owner ${OWNER} strategy file_copy`,
  );
  const own = new URL(serverUrl);
  own.pathname = `/${name}`;
  const url = new URL(own);
  url.username = APP;
  const pool = new pg.Pool({ connectionString: own.href, max: 2, Client: PreparingClient });
  // Ending it does not wait for its sockets: dropping the database may reach them first.
  pool.on('error', () => undefined);
  const present: TestDatabase = {
    url: url.href,
    ownUrl: own.href,
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    async advance(milliseconds) {
      await pool.query(
        `with nearer as (update throttle set expire = expire - $1::float8)
         update test_clock set ahead = ahead + $1::float8 * interval '1 millisecond'`,
        [milliseconds],
      );
      await pool.query('select make_partitions()'); // as upkeep does while time passes
    },
    async drop() {
      await pool.end();
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
  return { name, pool, present };
}

/** Whether a statement waits for a lock of another. */
export async function isSomebodyWaiting({ query }: Pick<TestDatabase, 'query'>): Promise<boolean> {
  const waiting = await query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

/** Our own access to a test database. */
export function openAppDatabase(url: string, name = 'test'): Database {
  const timeoutMs = DATABASE_TIMEOUT_MS;
  return openDatabase({ url, listenUrl: url, name, entities: ENTITIES, timeoutMs });
}

/** A test database, and our own access to it. */
export async function openTestDatabase() {
  const testDatabase = await createTestDatabase();
  const database = openAppDatabase(testDatabase.url);
  return {
    testDatabase,
    database,
    async close() {
      await database.close();
      await testDatabase.drop();
    },
  };
}

/** A database on a server of the test's own. */
export async function ensureDatabase(
  { urlOf }: { urlOf(database: string): string },
  name: string,
): Promise<void> {
  await onServer(urlOf('postgres'), `create database ${name}`).catch((error) => {
    if (error.code !== ALREADY_THERE) throw error;
  });
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
