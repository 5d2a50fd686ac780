// The product's own processes, as they run in production.
import { resolvePorts } from '../../../dev/ports.ts';
import { startProcess, startServer, type Server, type Starting } from './process.ts';

export type Product = ReturnType<typeof createProduct>;

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

type StartInput = {
  temporalAddress?: string;
  simulatorUrl?: string;
  smtpUrl?: string;
  nodeArgs?: string[];
};

const NOWHERE = '127.0.0.1:1';

export const PROCESSOR = { secretKey: 'sk_test_bench', webhookSecret: 'whsec_bench' };

export function createProduct(wanted: Wanted) {
  return {
    async startApi({
      keepsRequestLog = true,
      nodeArgs = [],
      ...places
    }: StartInput & { keepsRequestLog?: boolean } = {}): Promise<Server> {
      const { port } = await resolvePorts({ port: 0 });
      const env = {
        ...createEnvironment(wanted, places),
        BASE_URL: `http://127.0.0.1:${port}`,
        PORT: String(port),
        // Badges are limited by address: the bench has as many of them as it has visitors.
        TRUST_PROXY: 'true',
        REQUEST_LOG: String(keepsRequestLog),
      };
      return startServer(wanted, { name: 'api', main: 'api/main.ts', port, env, nodeArgs });
    },
    startWorker({ nodeArgs = [], ...places }: StartInput): Promise<Server> {
      const env = {
        ...createEnvironment(wanted, places),
        METRICS_PORT: '0',
        ALLOWED_NETWORKS: '127.0.0.0/8',
        ALLOW_HTTP_ENDPOINTS: 'true',
        LOG_LEVEL: 'error',
      };
      return startServer(wanted, { name: 'worker', main: 'worker/main.ts', env, nodeArgs });
    },
    startSimulator({ port, webhooksTo }: { port: number; webhooksTo: string }): Promise<Server> {
      const env = {
        ...createEnvironment(wanted, { simulatorUrl: `http://127.0.0.1:${port}` }),
        BASE_URL: webhooksTo,
        SIMULATOR_PORT: String(port),
      };
      const main = 'packages/simulator/main.ts';
      return startServer(wanted, { name: 'simulator', main, port, env });
    },
    /** Builds as before each start in production. */
    async build(): Promise<void> {
      const child = startProcess(wanted, { name: 'build', main: 'scripts/build.ts' });
      const how = await child.ended;
      if (how !== 'exit code 0') throw new Error(`the build ended (${how}): ${child.lastLines()}`);
    },
  };
}

/** The settings that API, worker and simulator take. */
function createEnvironment(
  { databaseUrl, secretKeys }: Wanted,
  {
    temporalAddress = NOWHERE,
    simulatorUrl = `http://${NOWHERE}`,
    smtpUrl = `smtp://${NOWHERE}`,
  }: Omit<StartInput, 'nodeArgs'>,
): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    BASE_URL: `http://${NOWHERE}`,
    LISTEN_HOSTS: '127.0.0.1',
    SECRET_KEYS: secretKeys,
    SMTP_URL: smtpUrl,
    ALLOW_SIMULATOR: 'true',
    SIMULATOR_URL: simulatorUrl,
    SIMULATOR_SECRET_KEY: PROCESSOR.secretKey,
    SIMULATOR_WEBHOOK_SECRET: PROCESSOR.webhookSecret,
    LOG_LEVEL: 'warn',
  };
}
