import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listener = { port: number; servers: Server[]; close(): Promise<void> };

const PATIENCE_MS = 10_000;
const PORT_ATTEMPTS = 5;
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * One HTTP server on each host, all on one port (0: any free one). A machine without IPv6 is
 * served on the hosts it has.
 */
export async function listen(
  handler: RequestListener,
  { hosts, port }: { hosts: readonly string[]; port: number },
): Promise<Listener> {
  for (let attempt = 1; ; attempt += 1) {
    const servers: Server[] = [];
    try {
      const taken = await openAll({ handler, hosts, port, servers });
      return { port: taken, servers, close: () => closeAll(servers, PATIENCE_MS) };
    } catch (fault) {
      await closeAll(servers, 0);
      // A port that was free on the first host may be in use on the next one.
      if (port !== 0 || codeOf(fault) !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw fault;
    }
  }
}

async function openAll(wanted: {
  handler: RequestListener;
  hosts: readonly string[];
  port: number;
  servers: Server[];
}): Promise<number> {
  let port = wanted.port;
  let lastFault: unknown = new Error('no host to listen on');
  for (const host of wanted.hosts) {
    const server = createServer(wanted.handler);
    try {
      port = await open(server, { host, port });
      wanted.servers.push(server);
    } catch (fault) {
      if (!host.includes(':') || !ABSENT.has(codeOf(fault))) throw fault;
      lastFault = fault;
    }
  }
  if (wanted.servers.length === 0) throw lastFault;
  return port;
}

function open(server: Server, where: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting, lets requests in flight finish for as long as the patience lasts. */
async function closeAll(servers: Server[], patienceMs: number): Promise<void> {
  const closed = Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
  // A kept-alive connection whose last answer has just left is idle only now.
  const sweep = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), 20);
  const deadline = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, patienceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}

function codeOf(fault: unknown): string {
  return (fault as NodeJS.ErrnoException).code ?? '';
}
