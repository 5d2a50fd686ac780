import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { serializeRequests } from './serialize-requests.ts';

export type Listener = { port: number; servers: Server[]; close(): Promise<void> };

type OpenServer = { server: Server; close(): Promise<void> };

/** With the second in which it is noticed and the time to read the response, half a minute. */
const REQUEST_TIMEOUT_MS = 27_000;
/** An idle one costs some ten kilobytes: as many as a process of a few hundred megabytes can bear. */
const MOST_CONNECTIONS = 10_000;
/** A caller that neither sends nor reads anything for so long loses the connection. */
const IDLE_MS = 60_000;
// Slow requests are ended soon after their time is over, not half a minute later.
const CHECKING_MS = 1_000;
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
    const opened: OpenServer[] = [];
    try {
      const taken = await openAll({ handler, hosts, port, opened });
      const servers = opened.map(({ server }) => server);
      return { port: taken, servers, close: () => closeAll(opened) };
    } catch (error) {
      await closeAll(opened);
      // A port that was free on the first host may be in use on the next one.
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function openAll(wanted: {
  handler: RequestListener;
  hosts: readonly string[];
  port: number;
  opened: OpenServer[];
}): Promise<number> {
  let port = wanted.port;
  let lastFault: unknown = new Error('no host to listen on');
  for (const host of wanted.hosts) {
    const one = createOpenServer(wanted.handler);
    try {
      port = await open(one.server, { host, port });
      wanted.opened.push(one);
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

/** Node's own closeIdleConnections spares connections that never asked for anything. */
function createOpenServer(handler: RequestListener): OpenServer {
  const server = createHttpServer(handler);
  /** The latest of each connection: answers go out in the order of the requests. */
  const responses = new Map<Socket, ServerResponse | null>();
  let isClosing = false;
  const endAfter = (socket: Socket, response: ServerResponse | null) => {
    if (response && !response.closed) response.once('close', () => endAfter(socket, response));
    else if (responses.get(socket) === response) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    responses.set(socket, null);
    socket.once('close', () => responses.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    responses.set(socket, response);
    if (isClosing) endAfter(socket, response);
  });
  return {
    server,
    close() {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const [socket, response] of responses) endAfter(socket, response);
      return closed;
    },
  };
}

/** Stops accepting, drops idle connections, lets requests in flight finish for a while. */
async function closeAll(opened: OpenServer[]): Promise<void> {
  const deadline = setTimeout(() => {
    for (const { server } of opened) server.closeAllConnections();
  }, PATIENCE_MS);
  await Promise.all(opened.map((one) => one.close()));
  clearTimeout(deadline);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
