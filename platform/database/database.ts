import { LockMode, MikroORM, type Configuration, type EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { LateRefusal } from '../../domain/shared/refusal.ts';
import { createCommitNotifier } from './notify.ts';
import { PreparingClient } from './preparing-client.ts';

export type { EntityManager };

/** Options of `find`: the rows as they are now, locked until the transaction ends. */
export const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

export type Database = {
  /** A new unit of work, to read or to write one row. */
  em(): EntityManager;
  /** One state change with its events and messages; their senders are woken after the commit. */
  transaction<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result>;
  /** Named prepared statements of the hot paths. */
  pool: pg.Pool;
  close(): Promise<void>;
};

type Options = {
  url: string;
  /** The address of NOTIFY: direct, not through a transaction-mode pooler. */
  listenUrl: string;
  name: string;
  entities: object[];
  poolSize?: number;
  /** The limit of a statement and of a wait for a connection. */
  timeoutMs?: number;
};

/**
 * `options` of connections that take locks. A statement whose client gave up or died ends within a
 * second, even while it waits for a lock. A transaction whose client froze or went silent keeps its
 * locks for ten seconds at most.
 */
export const ABANDONED = settings(
  'client_connection_check_interval=1s',
  'idle_in_transaction_session_timeout=10s',
);

/**
 * `options` of the hot paths' connections. Their statements look rows up by their keys: one plan
 * fits every value, and outdated statistics must not lead to a scan. Bitmap scans leave dead entries,
 * which plain index scans clear away: the end of a burst of 20,000 deliveries is no slower.
 */
export const HOT_PATHS = settings(
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
);

// A new connection plans every statement anew, so this many stay open however quiet it is.
const MIN_CONNECTIONS = 5;

function settings(...assignments: string[]): string {
  return assignments.map((assignment) => `-c ${assignment}`).join(' ');
}

export function openDatabase(options: Options): Database {
  const connection = {
    connectionTimeoutMillis: options.timeoutMs ?? 2_000,
    query_timeout: options.timeoutMs ?? 2_000,
    application_name: options.name,
    keepAlive: true,
  };
  const size = options.poolSize ?? 20;
  // The constructor connects to nothing: a process waits for its database instead of dying.
  const orm = new MikroORM({
    clientUrl: options.url,
    entities: options.entities as never[],
    driverOptions: {
      connectionString: options.url, // with it come sslmode and the like, which MikroORM drops
      ...connection,
      options: ABANDONED,
      Client: PreparingClient,
      onPoolCreated: dropTimedOutClients,
      types: TYPES,
    },
    pool: { min: 0, max: size },
  });
  const pool = new pg.Pool({
    connectionString: options.url,
    max: size,
    min: MIN_CONNECTIONS,
    ...connection,
    options: `${ABANDONED} ${HOT_PATHS}`,
  });
  pool.on('error', () => undefined); // an idle connection broke: the next query opens another
  const commitNotifier = createCommitNotifier(options.listenUrl);
  const transaction: Database['transaction'] = async (work) => {
    const result = await runTransaction(orm, work);
    commitNotifier.wake('gatehouse_outbox');
    commitNotifier.wake('gatehouse_delivery');
    return result;
  };
  TRANSACTIONS.set(orm.config, transaction);
  return {
    em: () => orm.em.fork(),
    transaction,
    pool,
    async close() {
      await Promise.all([pool.end(), commitNotifier.close(), orm.close(true)]);
    },
  };
}

/** Transactions of each ORM, by the configuration that its entity managers share. */
const TRANSACTIONS = new WeakMap<Configuration, Database['transaction']>();

/** Runs a command in the open transaction of its caller, or in one of its own. */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  if (em.isInTransaction()) {
    const result = await work(em);
    await em.flush();
    return result;
  }
  try {
    return await TRANSACTIONS.get(em.config)!(work);
  } catch (error) {
    if (error instanceof LateRefusal) return error.refusal as Result;
    throw error;
  }
}

/**
 * MikroORM's own transaction never returns a connection whose rollback fails, because its statement
 * still runs or it broke, nor its locks. Transactions do not nest.
 */
async function runTransaction<Result>(
  orm: MikroORM,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  const connection = orm.em.getConnection();
  await connection.ensureConnection();
  let cause: { error: unknown } | undefined;
  try {
    return await connection
      .getClient()
      .transaction()
      .execute(async (context) => {
        const em = orm.em.fork();
        em.setTransactionContext(context);
        try {
          const result = await work(em);
          await em.flush();
          return result;
        } catch (error) {
          cause = { error };
          throw error;
        }
      });
  } catch (error) {
    throw cause ? cause.error : error; // not that the rollback failed, but why there was one
  }
}

const OID = { int8: 20, date: 1082, timestamptz: 1184 };

// MikroORM reads both as text and converts those of entities: here each row has numbers and dates.
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(OID.int8, Number);
// The driver would make an instant of the process's time zone of a date.
TYPES.setTypeParser(OID.date, String);
TYPES.setTypeParser(OID.timestamptz, (text) => new Date(text));

// A client whose statement timed out would return to MikroORM's pool with its response still to
// come: the next caller would wait for it, and on a silent network for ever.
function dropTimedOutClients(pool: pg.Pool): void {
  pool.on('release', (_fault, client) => {
    if (client instanceof PreparingClient && client.hasTimedOut) void client.end();
  });
}

/**
 * Runs SQL with `?` placeholders in the unit of work's transaction. The values are bound:
 * `em.execute` would write them into the text, which PostgreSQL shows in its log and in its list of
 * statements.
 */
export async function rows<Row extends object>(
  em: EntityManager,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  let place = 0;
  const text = sql.replaceAll('?', () => `$${(place += 1)}`);
  const result = await em.getKysely().executeQuery(CompiledQuery.raw(text, values));
  return result.rows as Row[];
}

/** Writers who take this lock run one at a time until the transaction ends; readers do not wait. */
export async function lockTable(em: EntityManager, table: string): Promise<void> {
  await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(em.getKysely());
}

export async function now(em: EntityManager): Promise<Date> {
  const [row] = await rows<{ now: Date }>(em, 'select gatehouse_now() as now');
  return row!.now;
}

const QUERY_CANCELED = '57014';
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';

/** A unique constraint was violated. */
export function isDuplicate(error: unknown): boolean {
  return hasCode(error, UNIQUE_VIOLATION);
}

/** A statement waited for a lock as long as `lock_timeout` says. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, LOCK_NOT_AVAILABLE);
}

/** A statement ran longer than `statement_timeout` says. */
export function isStatementTimeout(error: unknown): boolean {
  return hasCode(error, QUERY_CANCELED);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
