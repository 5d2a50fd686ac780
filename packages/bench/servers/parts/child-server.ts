import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

export type Order = { databaseUrl: string };

const POOL_SIZE = 20;

/** The database comes over the channel, so that its password stands on no command line. */
export async function openOrderedPool(options?: string): Promise<pg.Pool> {
  process.on('disconnect', () => process.exit());
  const [order] = (await once(process, 'message')) as [Order];
  return new pg.Pool({
    connectionString: order.databaseUrl,
    max: POOL_SIZE,
    ...(options && { options }),
  });
}

export async function serve(handler: RequestListener): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.({ port: (server.address() as AddressInfo).port });
}
