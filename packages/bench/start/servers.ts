import { resolvePorts } from '../../../dev/ports.ts';
import { startTemporal } from '../../../dev/temporal.ts';
import { describe, hear, startProcess, type Server, type Starting } from './process.ts';
import type { Order } from '../servers/parts/child-server.ts';
import type { Product } from './product.ts';
import { startEmptyWorker } from './worker.ts';

/** `api` and `worker` are the product as they run in production; the others are what it is measured by. */
export type ServerName =
  | 'api'
  | 'api-without-log'
  | 'worker'
  | 'r1'
  | 'w1'
  | 'bare-page'
  | 'oidc-provider'
  | 'better-auth'
  | 'receiver'
  | 'sender'
  | 'pg-boss'
  | 'graphile-worker'
  | 'empty-worker'
  | 'pool-month'
  | 'limiter'
  | 'rate-limiter-flexible';

export type Servers = {
  /** One of them, or several processes of the same kind: started when first asked for in a round. */
  get(name: ServerName, processes?: number): Promise<Server[]>;
  /** The address of the round's Temporal: a development server that forgets everything. */
  temporal(): Promise<string>;
  /** All that was started since the last stop, by whatever way. */
  stop(): Promise<void>;
};

type Wanted = Starting & { databaseUrl: string; secretKeys: string; product: Product };

export function createServers(wanted: Wanted): Servers {
  const started = new Map<string, Promise<Server>>();
  let temporal: Promise<string> | undefined;
  const getTemporal = () => (temporal ??= startOwnTemporal(wanted));
  const start = async (name: ServerName) => {
    if (name === 'api') return wanted.product.startApi();
    if (name === 'api-without-log') return wanted.product.startApi({ keepsRequestLog: false });
    if (name !== 'worker' && name !== 'empty-worker') return startOther(name, wanted);
    const temporalAddress = await getTemporal();
    if (name === 'worker') return wanted.product.startWorker({ temporalAddress });
    return startEmptyWorker(wanted, temporalAddress);
  };
  const get = (name: ServerName, index: number) => {
    const server = started.get(`${name} ${index}`) ?? start(name);
    started.set(`${name} ${index}`, server);
    return server;
  };
  return {
    get: (name, processes = 1) =>
      Promise.all(Array.from({ length: processes }, (_, index) => get(name, index))),
    temporal: getTemporal,
    async stop() {
      started.clear();
      temporal = undefined;
      await wanted.children.stopAll();
    },
  };
}

async function startOwnTemporal({ children, signal }: Starting): Promise<string> {
  const ports = await resolvePorts({ port: 0, uiPort: 0 });
  await startTemporal({ ...ports, children, signal });
  return `127.0.0.1:${ports.port}`;
}

async function startOther(name: ServerName, wanted: Wanted): Promise<Server> {
  const child = startProcess(wanted, {
    name,
    main: `packages/bench/servers/${name}.ts`,
    env: { NODE_ENV: 'production' },
  });
  const order: Order = { databaseUrl: wanted.databaseUrl };
  child.process.send(order);
  const { port } = await hear<{ port: number }>(child, wanted);
  return describe(child, { starting: wanted, origin: `http://127.0.0.1:${port}` });
}
