import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopperOf, type Stopping } from './graceful-stop.ts';
import { serializeRequests } from './serialize-requests.ts';

export type Listener = { port: number; servers: Server[]; close(): Promise<void> };

type OpenServer = { server: Server; stop(): Promise<void> };

/** Makes half a minute with the second in which it is noticed and the time to read the response. */
const REQUEST_TIMEOUT_MS = 27_000;
/** An idle one costs some ten kilobytes: as many as a process of a few hundred megabytes can bear. */
const MOST_CONNECTIONS = 10_000;
/** A caller that neither sends nor reads anything for so long loses the connection. */
const IDLE_MS = 60_000;
// Slow requests are ended soon after their time is over, not half a minute later.
const CHECKING_MS = 1_000;
const PORT_ATTEMPTS = 5;
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * One HTTP server on each host, all on one port (0: any free one). A machine without IPv6 is
 * served on the hosts it has.
 */
export async function listen(
  handler: RequestListener,
  { hosts, port, ...stopping }: { hosts: readonly string[]; port: number } & Stopping,
): Promise<Listener> {
  for (let attempt = 1; ; attempt += 1) {
    const opened: OpenServer[] = [];
    try {
      const taken = await openAll({ handler, hosts, port, stopping, opened });
      const servers = opened.map(({ server }) => server);
      return { port: taken, servers, close: () => stopAll(opened) };
    } catch (error) {
      await stopAll(opened);
      // A port that was free on the first host may be in use on the next one.
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function openAll(wanted: {
  handler: RequestListener;
  hosts: readonly string[];
  port: number;
  stopping: Stopping;
  opened: OpenServer[];
}): Promise<number> {
  let port = wanted.port;
  let lastFault: unknown = new Error('no host to listen on');
  for (const host of wanted.hosts) {
    const server = createHttpServer(wanted.handler);
    const stop = stopperOf(server, wanted.stopping);
    try {
      port = await open(server, { host, port });
      wanted.opened.push({ server, stop });
    } catch (error) {
      if (!host.includes(':') || !ABSENT.has(codeOf(error))) throw error;
      lastFault = error;
    }
  }
  if (wanted.opened.length === 0) throw lastFault;
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

/** Bounds what one caller can hold: slow requests, unread responses, connections, requests sent ahead. */
export function createHttpServer(
  handler: RequestListener,
  { checkingMs = CHECKING_MS, idleMs = IDLE_MS } = {},
): Server {
  const options = {
    connectionsCheckingInterval: checkingMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
  };
  const server = createServer(options, serializeRequests(handler));
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = idleMs;
  // Whatever a caller expects, it is served like any other, and waited for.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

async function stopAll(opened: OpenServer[]): Promise<void> {
  await Promise.all(opened.map(({ stop }) => stop()));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
