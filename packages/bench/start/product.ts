// The product's own processes, as they run in production.
import { setTimeout as pause } from 'node:timers/promises';
import { resolvePorts } from '../../../dev/ports.ts';
import { describe, hear, startProcess, type Server, type Starting } from './process.ts';
import { startWorker } from './worker.ts';

export type Product = {
  startApi(given?: StartInput): Promise<Server>;
  startWorker(given: Worked): Promise<Server>;
  startSimulator(given: { port: number; webhooksTo: string }): Promise<Server>;
  /** Builds as before each start in production. */
  build(): Promise<void>;
};

type Worked = {
  temporalAddress: string;
  simulatorUrl?: string;
  smtpUrl?: string;
  nodeArgs?: string[];
};

type StartInput = {
  temporalAddress?: string;
  simulatorUrl?: string;
  nodeArgs?: string[];
  keepsRequestLog?: boolean;
};

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

const NOWHERE = '127.0.0.1:1';

export const PROCESSOR = { secretKey: 'sk_test_bench', webhookSecret: 'whsec_bench' };

/** Settings that API, worker and simulator take. */
const PROCESSOR_SETTINGS = {
  SIMULATOR_SECRET_KEY: PROCESSOR.secretKey,
  SIMULATOR_WEBHOOK_SECRET: PROCESSOR.webhookSecret,
};

export function createProduct(wanted: Wanted): Product {
  return {
    startApi: (given = {}) => startApi(wanted, given),
    async startWorker({
      temporalAddress,
      simulatorUrl = `http://${NOWHERE}`,
      smtpUrl = `smtp://${NOWHERE}`,
      nodeArgs = [],
    }) {
      const urls = { SIMULATOR_URL: simulatorUrl, SMTP_URL: smtpUrl };
      const env = { ...PROCESSOR_SETTINGS, ...urls, TEMPORAL_ADDRESS: temporalAddress };
      const child = await startWorker(wanted, { env, nodeArgs });
      return describe(child, { starting: wanted });
    },
    startSimulator: (given) => startSimulator(wanted, given),
    async build() {
      const child = startProcess(wanted, { name: 'build', main: 'scripts/build.ts' });
      const how = await child.ended;
      if (how !== 'exit code 0') throw new Error(`the build ended (${how}): ${child.lastLines()}`);
    },
  };
}

async function startApi(
  wanted: Wanted,
  {
    temporalAddress = NOWHERE,
    simulatorUrl = `http://${NOWHERE}`,
    nodeArgs = [],
    keepsRequestLog = true,
  }: StartInput,
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
    REQUEST_LOG: String(keepsRequestLog),
    ALLOW_SIMULATOR: 'true',
    SIMULATOR_URL: simulatorUrl,
    ...PROCESSOR_SETTINGS,
    LOG_LEVEL: 'warn',
  };
  const child = startProcess(wanted, { name: 'api', main: 'api/main.ts', env, nodeArgs });
  await hear(child, wanted); // that it is ready
  return describe(child, { starting: wanted, origin });
}

async function startSimulator(
  wanted: Wanted,
  { port, webhooksTo }: { port: number; webhooksTo: string },
): Promise<Server> {
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: wanted.databaseUrl,
    BASE_URL: webhooksTo,
    LISTEN_HOSTS: '127.0.0.1',
    SIMULATOR_PORT: String(port),
    SIMULATOR_URL: origin,
    ...PROCESSOR_SETTINGS,
    LOG_LEVEL: 'warn',
  };
  const child = startProcess(wanted, {
    name: 'simulator',
    main: 'packages/simulator/main.ts',
    env,
  });
  await untilAnswering(origin);
  return describe(child, { starting: wanted, origin });
}

async function untilAnswering(origin: string): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(origin);
      return await answer.body?.cancel();
    } catch {
      await pause(50);
    }
  }
}
