import { resolvePorts } from '../../../dev/ports.ts';
import { startTemporal } from '../../../dev/temporal.ts';
import { startServer, type Server, type Starting } from './process.ts';
import type { Product } from './product.ts';

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

type Wanted = Starting & { databaseUrl: string; product: Product };

export function createServers(wanted: Wanted) {
  const started = new Map<string, Promise<Server>>();
  let temporal: Promise<string> | undefined;
  const getTemporal = () => (temporal ??= startOwnTemporal(wanted));
  const start = async (name: ServerName) => {
    if (name === 'api') return wanted.product.startApi();
    if (name === 'api-without-log') return wanted.product.startApi({ keepsRequestLog: false });
    const usesTemporal = name === 'worker' || name === 'empty-worker';
    const temporalAddress = usesTemporal ? await getTemporal() : '';
    if (name === 'worker') return wanted.product.startWorker({ temporalAddress });
    return startServer(wanted, {
      name,
      main: `packages/bench/servers/${name}.ts`,
      env: { NODE_ENV: 'production' },
      order: { databaseUrl: wanted.databaseUrl, temporalAddress },
    });
  };
  /** Started when first asked for in a round; `index` tells processes of the same kind apart. */
  const get = (name: ServerName, index = 0) => {
    const server = started.get(`${name} ${index}`) ?? start(name);
    started.set(`${name} ${index}`, server);
    return server;
  };
  return {
    get,
    getSeveral: (name: ServerName, processes: number) =>
      Promise.all(Array.from({ length: processes }, (_, index) => get(name, index))),
    /** The address of the round's Temporal: a development server that forgets everything. */
    temporal: getTemporal,
    /** All that was started since the last stop, by whatever way. */
    async stop(): Promise<void> {
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
