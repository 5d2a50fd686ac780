// The product's worker with a Temporal server of its own, as they run in production.
import { resolvePorts } from '../../local/ports.ts';
import { findTemporal } from '../../local/engines/temporal-binary.ts';
import { startTemporal } from '../../local/temporal.ts';
import { readHostEnvironment } from '../../domain/platform/config.ts';
import { hear, startProcess, type Starting } from '../process.ts';

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

/** Answers its address. */
export async function startBenchTemporal({ children, shutdown }: Starting): Promise<string> {
  const ports = await resolvePorts({ temporal: 0, temporalUi: 0 });
  const environment = readHostEnvironment();
  const { signal } = shutdown;
  const silent = { announce: () => undefined, progress: () => undefined };
  const binary = await findTemporal({ environment, signal, ...silent });
  const { temporal: port, temporalUi: uiPort } = ports;
  const child = await startTemporal({ binary, port, uiPort, children, environment, signal });
  shutdown.add(1, () => child.stop());
  return `127.0.0.1:${port}`;
}

export async function startWorker(wanted: Wanted, temporalAddress: string) {
  const child = startProcess(wanted, {
    name: 'worker',
    main: 'activities/worker.ts',
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: wanted.databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      BASE_URL: 'http://127.0.0.1:1',
      LISTEN_HOSTS: '127.0.0.1',
      METRICS_PORT: '0',
      SECRET_KEYS: wanted.secretKeys,
      SMTP_URL: 'smtp://127.0.0.1:1',
      ALLOW_SIMULATOR: 'true',
      SIMULATOR_URL: 'http://127.0.0.1:1',
      SIMULATOR_SECRET_KEY: 'sk_test_bench',
      SIMULATOR_WEBHOOK_SECRET: 'whsec_bench',
      ALLOWED_NETWORKS: '127.0.0.0/8',
      ALLOW_HTTP_ENDPOINTS: 'true',
      LOG_LEVEL: 'error',
    },
  });
  await hear(child, wanted);
  return child;
}

export async function startEmptyWorker(wanted: Starting, temporalAddress: string) {
  const child = startProcess(wanted, {
    name: 'empty-worker',
    main: 'bench/servers/empty-worker.ts',
    env: { NODE_ENV: 'production', TEMPORAL_ADDRESS: temporalAddress },
  });
  const { port } = await hear<{ port: number }>(child, wanted);
  return { child, port };
}
