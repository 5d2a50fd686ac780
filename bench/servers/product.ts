// The product's own processes, as they run in production.
import { resolvePorts } from '../../local/ports.ts';
import { describe, hear, startProcess, type Server, type Starting } from '../process.ts';
import { startWorker } from './worker.ts';

export type Product = {
  startApi(given?: Given): Promise<Server>;
  startWorker(given: { temporalAddress: string }): Promise<Server>;
  /** As before each start in production. */
  build(): Promise<void>;
};

type Given = { temporalAddress?: string; nodeArgs?: string[] };

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

const NOWHERE = '127.0.0.1:1';

export function createProduct(wanted: Wanted): Product {
  return {
    startApi: (given = {}) => startApi(wanted, given),
    async startWorker({ temporalAddress }) {
      const child = await startWorker(wanted, temporalAddress);
      return describe(child, { starting: wanted });
    },
    async build() {
      const child = startProcess(wanted, { name: 'build', main: 'local/build.ts' });
      const how = await child.ended;
      if (how !== 'exit code 0') throw new Error(`the build ended (${how}): ${child.lastLines()}`);
    },
  };
}

async function startApi(
  wanted: Wanted,
  { temporalAddress = NOWHERE, nodeArgs = [] }: Given,
): Promise<Server> {
  const { port } = await resolvePorts({ port: 0 });
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: wanted.databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    BASE_URL: origin,
    PORT: String(port),
    LISTEN_HOSTS: '127.0.0.1',
    SECRET_KEYS: wanted.secretKeys,
    SMTP_URL: `smtp://${NOWHERE}`,
    // Badges are limited by address: the bench has as many of them as it has visitors.
    TRUST_PROXY: 'true',
    ALLOW_SIMULATOR: 'true',
    SIMULATOR_URL: `http://${NOWHERE}`,
    SIMULATOR_SECRET_KEY: 'sk_test_bench',
    SIMULATOR_WEBHOOK_SECRET: 'whsec_bench',
    LOG_LEVEL: 'warn',
  };
  const child = startProcess(wanted, { name: 'api', main: 'api/main.ts', env, nodeArgs });
  await hear(child, wanted); // that it is ready
  return describe(child, { starting: wanted, origin });
}
