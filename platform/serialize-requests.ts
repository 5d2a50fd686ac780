import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
export function serializeRequests(handler: RequestListener): RequestListener {
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
