// A product's webhook receiver as its builder would write it: Node's own modules and nothing of ours.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

type Received = { event: string; id: string; data: Record<string, unknown> };
type Accepts = (event: Received) => boolean;
type Endpoint = { url: string; secret: string };

const TOLERANCE_S = 300;
const KEPT_EVENTS = 1_000;
const POLL_MS = 50;

/**
 * Receives at endpoints of one origin; a GET of an endpoint shows its events. Returns null where
 * another program has the port.
 */
export async function startReceiver(endpoints: readonly Endpoint[]) {
  const places = endpoints.map(({ url, secret }) => {
    return { path: new URL(url).pathname, secret, received: [] as Received[] };
  });
  const { received } = places[0]!;
  let refused = 0;
  const server = createServer(async (request, response) => {
    const place = places.find(({ path }) => path === request.url);
    if (!place) return void response.writeHead(404).end();
    if (request.method !== 'POST') return void response.end(JSON.stringify(place.received));
    const rawBody = await buffer(request).catch(() => null);
    if (!rawBody) return; // the sender hung up
    const isAccepted = isGenuine(place.secret, { headers: request.headers, rawBody });
    response.writeHead(isAccepted ? 204 : 400).end();
    if (!isAccepted) return void (refused += 1);
    const event = JSON.parse(rawBody.toString()) as Received;
    if (!place.received.some(({ id }) => id === event.id)) place.received.push(event);
    if (place.received.length > KEPT_EVENTS) place.received.shift();
  });
  const { hostname, port } = new URL(endpoints[0]!.url);
  try {
    await once(server.listen(Number(port), hostname), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
  return {
    /** The events of the first endpoint. */
    received,
    refused: () => refused,
    waitFor: createWait(async () => received),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** The events of an endpoint, received here or by the receiver of `npm start`. */
export async function listenAt(endpoint: Endpoint) {
  const receiver = await startReceiver([endpoint]);
  if (receiver) return receiver;
  const listEvents = async () => (await (await fetch(endpoint.url)).json()) as Received[];
  return { waitFor: createWait(listEvents), close: async () => undefined };
}

/** Resolves with the first event of a name that the predicate accepts. */
function createWait(listEvents: () => Promise<Received[]>) {
  return async (name: string, accepts: Accepts, timeoutMs = 30_000): Promise<Received> => {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const events = await listEvents();
      const found = events.find((event) => event.event === name && accepts(event));
      if (found) return found;
      if (Date.now() > deadline) {
        throw new Error(`no genuine ${name} came within ${timeoutMs / 1000} s`);
      }
      await sleep(POLL_MS);
    }
  };
}

/**
 * True when one of the two headers fits: while the secret is rotated, the old secret signs the
 * second header.
 */
function isGenuine(
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
