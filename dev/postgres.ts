import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { LOG_SETTINGS } from '../platform/database/database-log.ts';
import { migrate } from '../scripts/migrate.ts';
import { applyRoles, type RoleUrls } from '../scripts/roles.ts';
import type { LocalSecrets } from './data/secrets.ts';
import {
  clearPidFile,
  findPostgresBinaries,
  initialiseCluster,
  POSTGRES_ENVIRONMENT,
  POSTGRES_PREFIX,
} from './postgres-cluster.ts';
import { untilReady, type Child, type Children } from './process/children.ts';
import { StartFailure } from './process/run.ts';

export interface PostgresOptions {
  dataDir: string;
  port: number;
  password: string;
  /** False for tests: faster, and lost with the machine's power. */
  isDurable: boolean;
  /** The page cache; PostgreSQL's own default is 128 MiB. */
  sharedBuffersMiB?: number;
  children: Children;
  signal: AbortSignal;
}

type Passwords = Pick<LocalSecrets, 'databasePassword' | 'ownerPassword' | 'appPassword'>;

const CONNECT_MS = 2_000;
const WRONG_PASSWORD = '28P01';
const MAX_CONNECTIONS = 200;
// Of several test files at once; what is written ahead is kept short, for it may lie in memory.
const THROWAWAY = [
  'max_connections=400',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_wal_size=256MB',
];

/** Starts PostgreSQL on 127.0.0.1 with its data in `<dataDir>/postgres`, and waits until it answers. */
export async function startPostgres(options: PostgresOptions) {
  const { dataDir, port, password, signal } = options;
  const installation = { binDir: await findPostgresBinaries(), folder: join(dataDir, 'postgres') };
  signal.throwIfAborted();
  if (!existsSync(installation.folder)) await initialiseCluster(installation, options);
  clearPidFile(installation.folder);
  /** The superuser's address of a database. */
  const urlOf = (database: string) => urlFor({ port, password }, database);
  const isReady = () => isServing(urlOf('postgres'));
  const child = await untilReady(startServer(installation, options), { isReady, signal });
  return { child, urlOf };
}

/** The addresses of a database: of its server for the superuser, of its owner, of api and worker. */
export function roleUrls(
  { port, secrets }: { port: number; secrets: Passwords },
  database: string,
): RoleUrls {
  const { databasePassword, ownerPassword, appPassword } = secrets;
  return {
    adminUrl: urlFor({ port, password: databasePassword }, 'postgres'),
    ownerUrl: urlFor({ port, role: 'gatehouse_owner', password: ownerPassword }, database),
    appUrl: urlFor({ port, role: 'gatehouse_app', password: appPassword }, database),
  };
}

/** Makes roles and database where they are missing, and migrates as their owner. */
export async function prepareDatabase(urls: RoleUrls): Promise<string[]> {
  await applyRoles(urls);
  const applied = await migrate(urls.ownerUrl);
  if (applied.length > 0) await applyRoles(urls); // new tables may be among those with fewer rights
  return applied;
}

export function urlFor(
  { port, role = 'postgres', password }: { port: number; role?: string; password: string },
  database: string,
): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

function startServer(
  { binDir, folder }: { binDir: string; folder: string },
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
    ...(isDurable ? [] : THROWAWAY),
  ];
  return children.start({
    name: 'postgres',
    prefix: POSTGRES_PREFIX,
    command: join(binDir, 'postgres'),
    args: ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])],
    env: POSTGRES_ENVIRONMENT,
    cwd: '/',
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
