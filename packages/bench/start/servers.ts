import { describe, hear, startProcess, type Server, type Starting } from './process.ts';
import type { Order } from '../servers/parts/child-server.ts';
import type { Product } from './product.ts';
import { startOwnTemporal, type Temporal } from '../temporal.ts';
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
  | 'empty-worker'
  | 'pool-month'
  | LimiterName;

export type LimiterName = 'limiter' | 'rate-limiter-flexible';

/** One of them, or several processes of the same kind. */
export type Servers = {
  get(name: ServerName, processes?: number): Promise<Server[]>;
  /** Starts servers for one month; whoever starts them stops them. */
  startPoolMonth(): Promise<Server>;
  /** What works by itself, with its Temporal: it would take work from the next figure's. */
  endWorkers(): Promise<void>;
};

type Wanted = Starting & { databaseUrl: string; secretKeys: string; product: Product };

/** Started when first asked for, and kept until the end of the run, workers until that of their figure. */
export function createServers(wanted: Wanted): Servers {
  const workers = new Map<string, Promise<Server>>();
  const others = new Map<string, Promise<Server>>();
  let temporal: Promise<Temporal> | undefined;
  const start = async (name: ServerName) => {
    if (name === 'api') return wanted.product.startApi();
    if (name === 'api-without-log') return wanted.product.startApi({ keepsRequestLog: false });
    if (!isWorker(name)) return startOther(name, wanted);
    const { address: temporalAddress } = await (temporal ??= startOwnTemporal(wanted));
    if (name === 'worker') {
      return wanted.product.startWorker({ temporalAddress });
    }
    const { child, port } = await startEmptyWorker(wanted, temporalAddress);
    return describe(child, { starting: wanted, origin: `http://127.0.0.1:${port}` });
  };
  const get = (name: ServerName, index: number) => {
    const started = isWorker(name) ? workers : others;
    const server = started.get(`${name} ${index}`) ?? start(name);
    started.set(`${name} ${index}`, server);
    return server;
  };
  return {
    get: (name, processes = 1) =>
      Promise.all(Array.from({ length: processes }, (_, index) => get(name, index))),
    startPoolMonth: () => startOther('pool-month', wanted),
    async endWorkers() {
      for (const worker of workers.values()) await (await worker).stop();
      workers.clear();
      await (await temporal)?.stop();
      temporal = undefined;
    },
  };
}

function isWorker(name: ServerName): name is 'worker' | 'empty-worker' {
  return name === 'worker' || name === 'empty-worker';
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
