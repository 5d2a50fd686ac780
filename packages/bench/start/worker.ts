// The product's worker as it runs in production, and one that has nothing to do.
import { describe, hear, startProcess, type Server, type Starting } from './process.ts';

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

/** `env`: where Temporal, the simulator and a mail server are. */
export async function startWorker(
  wanted: Wanted,
  { env, nodeArgs }: { env: Record<string, string>; nodeArgs: string[] },
) {
  const child = startProcess(wanted, {
    name: 'worker',
    main: 'worker/main.ts',
    nodeArgs,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: wanted.databaseUrl,
      ...env,
      BASE_URL: 'http://127.0.0.1:1',
      LISTEN_HOSTS: '127.0.0.1',
      METRICS_PORT: '0',
      SECRET_KEYS: wanted.secretKeys,
      ALLOW_SIMULATOR: 'true',
      ALLOWED_NETWORKS: '127.0.0.0/8',
      ALLOW_HTTP_ENDPOINTS: 'true',
      LOG_LEVEL: 'error',
    },
  });
  await hear(child, wanted);
  return child;
}

export async function startEmptyWorker(wanted: Starting, temporalAddress: string): Promise<Server> {
  const child = startProcess(wanted, {
    name: 'empty-worker',
    main: 'packages/bench/servers/empty-worker.ts',
    env: { NODE_ENV: 'production', TEMPORAL_ADDRESS: temporalAddress },
  });
  const { port } = await hear<{ port: number }>(child, wanted);
  return describe(child, { starting: wanted, origin: `http://127.0.0.1:${port}` });
}
