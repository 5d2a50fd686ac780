import { resolvePorts } from '../../local/ports.ts';
import type { Child } from '../../local/process/children.ts';
import { hear, startProcess, type Starting } from '../process.ts';
import type { Order } from './order.ts';
import { startBenchTemporal, startEmptyWorker, startWorker } from './worker.ts';

export type Server = { origin: string; pid: number };

/** `api` and `worker` are the product as they run in production; the others are what it is measured by. */
export type ServerName =
  | 'api'
  | 'worker'
  | 'r1'
  | 'w1'
  | 'oidc-provider'
  | 'receiver'
  | 'sender'
  | 'empty-worker';

/** One of them, or several processes of the same kind. */
export type Servers = {
  get(name: ServerName, processes?: number): Promise<Server[]>;
};

type Wanted = Starting & { databaseUrl: string; secretKeys: string };

/** Started when first asked for, and kept until the end of the run. */
export function createServers(wanted: Wanted): Servers {
  const started = new Map<string, Promise<Server>>();
  let temporal: Promise<string> | undefined;
  const start = async (name: ServerName) => {
    if (name === 'api') return startApi(wanted);
    if (name !== 'worker' && name !== 'empty-worker') return startOther(name, wanted);
    const temporalAddress = await (temporal ??= startBenchTemporal(wanted));
    if (name === 'worker') {
      return describe(await startWorker(wanted, temporalAddress), '');
    }
    const { child, port } = await startEmptyWorker(wanted, temporalAddress);
    return describe(child, `http://127.0.0.1:${port}`);
  };
  const get = (name: ServerName, index: number) => {
    const server = started.get(`${name} ${index}`) ?? start(name);
    started.set(`${name} ${index}`, server);
    return server;
  };
  return {
    get: (name, processes = 1) =>
      Promise.all(Array.from({ length: processes }, (_, index) => get(name, index))),
  };
}

async function startApi(wanted: Wanted): Promise<Server> {
  const { port } = await resolvePorts({ port: 0 });
  const origin = `http://127.0.0.1:${port}`;
  const nowhere = 'http://127.0.0.1:1';
  const child = startProcess(wanted, {
    name: 'api',
    main: 'api/main.ts',
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: wanted.databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      BASE_URL: origin,
      PORT: String(port),
      LISTEN_HOSTS: '127.0.0.1',
      SECRET_KEYS: wanted.secretKeys,
      SMTP_URL: 'smtp://127.0.0.1:1',
      ALLOW_SIMULATOR: 'true',
      SIMULATOR_URL: nowhere,
      SIMULATOR_SECRET_KEY: 'sk_test_bench',
      SIMULATOR_WEBHOOK_SECRET: 'whsec_bench',
      LOG_LEVEL: 'warn',
    },
  });
  await hear(child, wanted);
  return describe(child, origin);
}

async function startOther(name: ServerName, wanted: Wanted): Promise<Server> {
  const child = startProcess(wanted, {
    name,
    main: `bench/servers/${name}.ts`,
    env: { NODE_ENV: 'production' },
  });
  const order: Order = { databaseUrl: wanted.databaseUrl };
  child.process.send(order);
  const { port } = await hear<{ port: number }>(child, wanted);
  return describe(child, `http://127.0.0.1:${port}`);
}

function describe(child: Child, origin: string): Server {
  return { origin, pid: child.process.pid! };
}
