import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

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
  { hosts, port, ...stopping }: { hosts: readonly string[]; port: number } & StopLimits,
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
  stopping: StopLimits;
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

type StopLimits = {
  /** Kept connections have so long for one more request. */
  graceMs?: number;
  /** The time in which requests have to finish after that. */
  timeoutMs?: number;
};

/**
 * Watches a server and returns the function that stops it. It accepts no connection any more, says
 * with each response that its connection closes, and answers 503 to what does not finish in time.
 */
function stopperOf(server: Server, { graceMs = 0, timeoutMs = 10_000 }: StopLimits) {
  // One Set of all kept dead responses alive, because V8 links the tables that a busy Set outgrows:
  // copying them was a tenth of the CPU of a check.
  const responses = new Map<Socket, ServerResponse[]>();
  const underWay = () => [...responses.values()].flat().filter(isOpen);
  let isStopping = false;
  // In front of the handler, which may send the headers at once.
  server.prependListener('request', ({ socket }, response) => {
    const before = responses.get(socket);
    if (!before) socket.once('close', () => responses.delete(socket));
    responses.set(socket, [...(before ?? []).filter(isOpen), response]);
    if (isStopping) closeAfter(response);
  });
  return async () => {
    isStopping = true;
    // The latest of each connection: responses go out in the order of the requests.
    for (const ofOne of responses.values()) closeAfter(ofOne.at(-1)!);
    // Node's HTTP server would cut idle connections at once, and responses that are still written.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    if (graceMs > 0) await sleep(graceMs);
    const timeIsUp = sleep(timeoutMs, 'time is up', { ref: false });
    // Again, because a kept connection may bring its last request while others are waited for.
    while (underWay().length > 0) {
      const finished = Promise.all(underWay().map(untilClosed));
      if ((await Promise.race([finished, timeIsUp])) === 'time is up') break;
    }
    for (const response of underWay()) refuse(response);
    server.closeAllConnections();
    await closed;
  };
}

const isOpen = ({ closed }: ServerResponse) => !closed;

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

function untilClosed(response: ServerResponse): Promise<unknown> {
  return new Promise((resolve) => response.once('close', resolve));
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) return;
  const headers = { connection: 'close', 'content-length': '0', 'retry-after': '5' };
  response.writeHead(503, headers).end();
}

/** More than any client has reason to send ahead: the connection closes after so many. */
const MOST_WAITING = 100;
/** A flood, which gets no answer any more. */
const MOST_SENT_AHEAD = 1_000;

type Line = { latest: ServerResponse; waiting: number };

/** Stands on the socket itself: a look into a map costs every request more. */
const LINE = Symbol('line of requests');

/**
 * One request of a connection at a time: Node hands all of those that came together to the handler at
 * once, and one caller's thousand would go before the next caller's first.
 */
function serializeRequests(handler: RequestListener): RequestListener {
  return (request, response) => {
    const socket: Socket & { [LINE]?: Line } = request.socket;
    const line = (socket[LINE] ??= { latest: response, waiting: 0 });
    const before = line.latest;
    line.latest = response;
    if (before === response || before.closed) return handler(request, response);
    line.waiting += 1;
    if (line.waiting > MOST_SENT_AHEAD) return void socket.destroy();
    if (line.waiting > MOST_WAITING) return;
    if (line.waiting === MOST_WAITING) response.setHeader('connection', 'close');
    before.once('close', () => {
      line.waiting -= 1;
      // The one before may have been the last that its caller gets an answer to.
      if (!socket.destroyed && !socket.writableEnded) handler(request, response);
    });
  };
}
