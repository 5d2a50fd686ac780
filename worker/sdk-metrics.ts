// The metrics of Temporal's SDK: slots, sticky cache, latencies. Its exporter is a port of its own.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Reaches the exporter from this machine alone. */
const HOST = '127.0.0.1';
const TIMEOUT_MS = 2_000;

export type SdkMetrics = Awaited<ReturnType<typeof openSdkMetrics>>;

/** Takes a free port of the loopback address for the SDK's exporter. */
export async function openSdkMetrics() {
  const bindAddress = `${HOST}:${await findFreePort()}`;
  return {
    bindAddress,
    /** Returns Prometheus's text format; empty until the SDK's runtime is installed. */
    async read() {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      try {
        return await (await fetch(`http://${bindAddress}/metrics`, { signal })).text();
      } catch {
        return ''; // our own metrics are sent without them
      }
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
