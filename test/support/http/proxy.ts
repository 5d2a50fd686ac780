import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';

type Direction = 'requests' | 'answers';

export type Proxy = {
  port: number;
  /** Ends every connection and refuses new ones: the server behind is down. */
  cut(): void;
  /** Keeps connections open and lets nothing through: the server behind hangs. */
  hang(): void;
  /** Resets every connection; new ones get through. */
  reset(): void;
  /** From now on each chunk takes as long as this; 0 ends it. */
  slow(delayMs: number): void;
  /** Connections stay open, and one direction stands still until its bytes may go on. */
  hold(direction: Direction): () => void;
  restore(): void;
  close(): Promise<void>;
};

/** A TCP proxy on a free loopback port that can play a server's death. */
export async function startProxy(target: { host: string; port: number }): Promise<Proxy> {
  let mode: 'open' | 'cut' | 'hung' = 'open';
  let delayMs = 0;
  const held = new Map<Direction, Promise<void>>();
  const carry = (direction: Direction) =>
    carryAt(() => ({ released: held.get(direction), delayMs }));
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((inbound) => {
    inbound.on('error', () => undefined);
    if (mode === 'cut') {
      breakOff(inbound);
      return;
    }
    const outbound = connect(target.port, target.host);
    const pair: [Socket, Socket] = [inbound, outbound];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      inbound.destroy();
      outbound.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    inbound.pipe(carry('requests')).pipe(outbound);
    outbound.pipe(carry('answers')).pipe(inbound);
    if (mode === 'hung') for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = () => endPairs(pairs);
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      mode = 'cut';
      endAll();
    },
    hang() {
      mode = 'hung';
      for (const pair of pairs) for (const socket of pair) socket.unpipe().pause();
    },
    reset: endAll,
    slow(ms) {
      delayMs = ms;
    },
    hold(direction) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(direction, promise);
      return () => {
        held.delete(direction);
        resolve();
      };
    },
    restore() {
      if (mode === 'hung') endAll();
      mode = 'open';
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function carryAt(pace: () => { released: Promise<void> | undefined; delayMs: number }): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      const pass = () => done(null, chunk);
      const { released, delayMs } = pace();
      if (released) void released.then(pass);
      else if (delayMs > 0) setTimeout(pass, delayMs);
      else pass();
    },
  });
}

function endPairs(pairs: Set<[Socket, Socket]>): void {
  for (const [inbound, outbound] of pairs) {
    breakOff(inbound);
    outbound.destroy();
  }
  pairs.clear();
}

/** A socket that is just being shut down cannot be reset: Node 24 would never let go of it, nor of the process. */
function breakOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
