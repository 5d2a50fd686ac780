// The servers of the demo's products, as far as webhooks go: while `npm start` runs, their events are
// received and verified, so that a purchase by hand shows deliveries that arrive.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import type { DemoData } from './load.ts';
import { isGenuine, startReceiver, type Received } from './receiver.ts';

type Endpoint = Pick<DemoData['products'][number]['endpoints'][number], 'url' | 'secret'>;

const KEPT_EVENTS = 200;
const POLL_MS = 50;

/** Returns null where another program has the port: the endpoints stay as they are. */
export async function startDemoReceiver(
  endpoints: readonly Endpoint[],
): Promise<{ close(): void } | null> {
  const secrets = new Map(endpoints.map(({ url, secret }) => [new URL(url).pathname, secret]));
  const received = new Map([...secrets.keys()].map((path) => [path, [] as Received[]]));
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const [secret, events] = [secrets.get(path), received.get(path)];
    if (!secret || !events) response.writeHead(404).end();
    else if (request.method !== 'POST') response.end(JSON.stringify(events));
    else response.writeHead((await receive(request, { secret, events })) ? 204 : 400).end();
  });
  const { hostname, port } = new URL(endpoints[0]!.url);
  try {
    await once(server.listen(Number(port), hostname), 'listening');
    return { close: () => server.close() };
  } catch (error) {
    if (isPortTaken(error)) return null;
    throw error;
  }
}

async function receive(
  request: IncomingMessage,
  { secret, events }: { secret: string; events: Received[] },
): Promise<boolean> {
  const rawBody = await buffer(request).catch(() => Buffer.alloc(0));
  if (!isGenuine(secret, { headers: request.headers, rawBody })) return false;
  const event = JSON.parse(rawBody.toString()) as Received;
  if (!events.some(({ id }) => id === event.id)) events.unshift(event);
  events.length = Math.min(events.length, KEPT_EVENTS);
  return true;
}

/** The events of an endpoint, received here or by the receiver of `npm start`. */
export async function listenAt({ url, secret }: Endpoint) {
  try {
    return await startReceiver(url, secret);
  } catch (error) {
    if (isPortTaken(error)) return watchReceiver(url);
    throw error;
  }
}

function watchReceiver(
  url: string,
): Pick<Awaited<ReturnType<typeof startReceiver>>, 'waitFor' | 'close'> {
  return {
    async waitFor(name, accepts, timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const events = (await (await fetch(url)).json()) as Received[];
        const found = events.find((event) => event.event === name && accepts(event));
        if (found) return found;
        if (Date.now() > deadline) {
          throw new Error(`no genuine ${name} came within ${timeoutMs / 1000} s`);
        }
        await sleep(POLL_MS);
      }
    },
    close: async () => undefined,
  };
}

const isPortTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
