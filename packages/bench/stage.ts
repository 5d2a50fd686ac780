import { totalmem } from 'node:os';
import pg from 'pg';
import { migrate } from '../../scripts/migrate.ts';
import { openThrowaway } from '../../dev/data/data-dir.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { createChildren } from '../../dev/process/children.ts';
import type { Launch } from '../../dev/process/launch.ts';
import { findParent } from './measure/cpu.ts';
import { createLoaders } from './data/load.ts';
import { createGenerator } from './load/generate.ts';
import { createProduct } from './start/product.ts';
import { createServers } from './start/servers.ts';

export type Stage = Awaited<ReturnType<typeof setStage>>;

const POOL_SIZE = 4;
/** A quarter of the machine, as PostgreSQL's manual and ours advise: its default is smaller than the data. */
const SHARED_BUFFERS_MIB = Math.floor(totalmem() / 2 ** 22);

/** A PostgreSQL with durable commits, in a folder that goes with this run. */
export async function setStage(launched: Launch, rounds: number) {
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
  // Those of a round stop before the next one.
  const ofRound = createChildren(dataDir);
  launched.defer(() => ofRound.stopAll());
  process.on('exit', () => ofRound.killAll());
  const started = { children: ofRound, signal, databaseUrl };
  const product = createProduct({ ...started, secretKeys: secrets.secretKeys });
  return {
    /** Each starts its processes and stops them. */
    rounds,
    pool,
    data: createLoaders(pool, console.log),
    servers: createServers({ ...started, product }),
    product,
    generator: createGenerator({ children, signal }),
    /** NaN where the system does not tell. */
    postmasterPid: await findPostmaster(pool),
    databaseUrl,
    secretKeys: secrets.secretKeys,
    say: console.log as (line: string) => void,
  };
}

async function findPostmaster(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return findParent(rows[0]!.pid);
}

export async function readServerVersion({ pool }: Stage): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  return rows[0]!.server_version;
}
