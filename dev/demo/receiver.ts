// A product's webhook receiver as its builder would write it: Node's own modules and nothing of ours.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Received = { event: string; id: string; data: Record<string, unknown> };

const TOLERANCE_S = 300;

export async function startReceiver(url: string, secret: string) {
  const received: Received[] = [];
  let refused = 0;
  const arrivals = new EventEmitter();
  const server = createServer(async (request, response) => {
    const rawBody = await buffer(request).catch(() => null);
    if (!rawBody) return; // the sender hung up
    const isAccepted = isGenuine(secret, { headers: request.headers, rawBody });
    response.writeHead(isAccepted ? 204 : 400).end();
    if (!isAccepted) {
      refused += 1;
      return;
    }
    const event = JSON.parse(rawBody.toString()) as Received;
    if (!received.some(({ id }) => id === event.id)) received.push(event);
    arrivals.emit('event');
  });
  const { hostname, port } = new URL(url);
  await once(server.listen(Number(port), hostname), 'listening');
  return {
    received,
    refused: () => refused,
    /** Resolves with the first event of that name that the predicate accepts. */
    async waitFor(name: string, accepts: (event: Received) => boolean, timeoutMs = 30_000) {
      const signal = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const found = received.find((event) => event.event === name && accepts(event));
        if (found) return found;
        await once(arrivals, 'event', { signal }).catch(() => {
          throw new Error(`no genuine ${name} came within ${timeoutMs / 1000} s`);
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/**
 * True when one of the two headers fits: while the secret is rotated, the old secret signs the
 * second header.
 */
export function isGenuine(
  secret: string,
  { headers, rawBody }: { headers: IncomingHttpHeaders; rawBody: Buffer },
): boolean {
  return ['service-signature', 'service-signature-previous'].some((name) =>
    isSignedBy(secret, { rawBody, signature: headers[name]?.toString() }),
  );
}

/** Checks the header `t=<seconds>,v1=<HMAC>`, over the raw bytes. */
export function isSignedBy(
  secret: string,
  { rawBody, signature = '' }: { rawBody: Buffer; signature: string | undefined },
): boolean {
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (!seconds || !digest) return false;
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(rawBody).digest();
  return timingSafeEqual(expected, Buffer.from(digest, 'hex'));
}
