import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { LOG_SETTINGS } from '../platform/database/database-log.ts';
import { untilReady, type Child, type Children } from './process/children.ts';
import { choosePostgresAccount } from './engines/postgres-account.ts';
import { findPostgresBinaries } from './engines/postgres-binaries.ts';
import {
  clearPidFile,
  initialiseCluster,
  POSTGRES_ENVIRONMENT,
  type Installation,
} from './engines/postgres-cluster.ts';
import { StartFailure } from './process/failure.ts';

export interface PostgresOptions {
  dataDir: string;
  port: number;
  password: string;
  /** False for tests: faster, and lost with the machine's power. */
  isDurable: boolean;
  /** Its page cache; PostgreSQL's own default is 128 MiB. */
  sharedBuffersMiB?: number;
  children: Children;
  signal: AbortSignal;
}

export interface Postgres {
  child: Child;
  urlOf(database: string): string;
}

const CONNECT_MS = 2_000;
const WRONG_PASSWORD = '28P01';
const MAX_CONNECTIONS = 200;

/** Starts PostgreSQL on 127.0.0.1 with its data in `<dataDir>/postgres`, and waits until it answers. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, signal } = options;
  const binDir = await findPostgresBinaries();
  const account = await choosePostgresAccount(binDir, dataDir);
  const installation = { ...account, binDir, folder: join(dataDir, 'postgres') };
  signal.throwIfAborted();
  if (!existsSync(installation.folder)) await initialiseCluster(installation, options);
  clearPidFile(installation.folder);
  const urlOf = (database: string) => postgresUrl(options, database);
  const isReady = () => isServing(urlOf('postgres'));
  const child = await untilReady(startServer(installation, options), { isReady, signal });
  return { child, urlOf };
}

export function postgresUrl(
  { port, password }: Pick<PostgresOptions, 'port' | 'password'>,
  database: string,
): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/** Makes a database unless it is there. */
export async function ensureDatabase(
  { urlOf }: Pick<Postgres, 'urlOf'>,
  name: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  client.on('error', () => undefined); // what it breaks off is a fault by itself
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (!found.rowCount) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

function startServer(
  { binDir, folder, account, prefix = [] }: Installation,
  { port, isDurable, sharedBuffersMiB, children }: PostgresOptions,
): Child {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    'log_timezone=UTC',
    'timezone=UTC',
    ...LOG_SETTINGS,
    ...(sharedBuffersMiB ? [`shared_buffers=${sharedBuffersMiB}MB`] : []),
    ...(isDurable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return children.start({
    name: 'postgres',
    prefix,
    command: join(binDir, 'postgres'),
    args: ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])],
    env: POSTGRES_ENVIRONMENT,
    cwd: '/',
    account,
  });
}

async function isServing(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== WRONG_PASSWORD) return false;
    throw new StartFailure(
      'The database of this data folder has another password than its secrets.json: put that file back, or start empty with `npm start -- --fresh`.',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
