import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Stopping = {
  /** Kept connections have so long for one more request. */
  graceMs?: number;
  /** The time in which requests have to finish after that. */
  timeoutMs?: number;
};

/**
 * Watches a server and returns the function that stops it. It accepts no connection any more, says
 * with each response that its connection closes, and answers 503 to what does not finish in time.
 */
export function stopperOf(
  server: Server,
  { graceMs = 0, timeoutMs = 10_000 }: Stopping,
): () => Promise<void> {
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
