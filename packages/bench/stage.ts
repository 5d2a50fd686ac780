import { totalmem } from 'node:os';
import pg from 'pg';
import { migrate } from '../../scripts/migrate.ts';
import { openThrowaway } from '../../dev/data/data-dir.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import type { Launch } from '../../dev/process/launch.ts';
import { findParent } from './measure/cpu.ts';
import { createLoaders, type Loaders } from './data/load.ts';
import { createGenerator, type Generator } from './load/generate.ts';
import { createProduct, type Product } from './start/product.ts';
import { createServers, type Servers } from './start/servers.ts';
import { startOwnTemporal, type Temporal } from './temporal.ts';

export type Stage = {
  pool: pg.Pool;
  data: Loaders;
  servers: Servers;
  product: Product;
  startTemporal(): Promise<Temporal>;
  generator: Generator;
  /** Is null where the system does not tell. */
  postmasterPid: number | null;
  databaseUrl: string;
  secretKeys: string;
  say(line: string): void;
};

const POOL_SIZE = 4;
/** A quarter of the machine, as PostgreSQL's manual and ours advise: its default is smaller than the data. */
const SHARED_BUFFERS_MIB = Math.floor(totalmem() / 2 ** 22);

/** A PostgreSQL with durable commits, in a folder that goes with this run. */
export async function setStage(launched: Launch): Promise<Stage> {
  const { signal } = launched;
  const { dataDir, children } = openThrowaway(launched, { prefix: 'gatehouse-bench-' });
  const secrets = loadSecrets(dataDir);
  const { postgres: port } = await resolvePorts({ postgres: 0 });
  const password = secrets.databasePassword;
  const postgres = await startPostgres({
    dataDir,
    port,
    password,
    isDurable: true,
    sharedBuffersMiB: SHARED_BUFFERS_MIB,
    children,
    signal,
  });
  const databaseUrl = postgres.urlOf('postgres');
  await migrate(databaseUrl);
  console.log('PostgreSQL is ready, with durable commits');
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  pool.on('error', () => undefined); // the server stops before its clients do
  launched.defer(() => pool.end());
  const started = { children, signal, databaseUrl };
  const product = createProduct({ ...started, secretKeys: secrets.secretKeys });
  return {
    pool,
    data: createLoaders(pool, console.log),
    servers: createServers({ ...started, secretKeys: secrets.secretKeys, product }),
    product,
    startTemporal: () => startOwnTemporal(started),
    generator: createGenerator(started),
    postmasterPid: await findPostmaster(pool),
    databaseUrl,
    secretKeys: secrets.secretKeys,
    say: console.log,
  };
}

async function findPostmaster(pool: pg.Pool): Promise<number | null> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return findParent(rows[0]!.pid);
}

export async function readServerVersion({ pool }: Stage): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  return rows[0]!.server_version;
}
