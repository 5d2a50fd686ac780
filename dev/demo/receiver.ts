// A product's webhook receiver as its builder would write it: node:crypto and nothing of ours.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

export type Received = { event: string; id: string; data: Record<string, unknown> };

const TOLERANCE_S = 300;

export async function startReceiver(url: string, secret: string) {
  const received: Received[] = [];
  let refused = 0;
  let wake = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const isGenuine = verify(String(request.headers['service-signature']), raw, secret);
      response.writeHead(isGenuine ? 204 : 400).end();
      if (!isGenuine) refused += 1;
      else {
        const envelope = JSON.parse(raw.toString()) as Received;
        if (!received.some(({ id }) => id === envelope.id)) received.push(envelope);
      }
      wake();
    });
  });
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), hostname, resolve);
  });
  return {
    received,
    refused: () => refused,
    /** Resolves with the first event of that name that the predicate accepts. */
    async waitFor(name: string, accepts: (event: Received) => boolean, patienceMs = 30_000) {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const found = received.find((event) => event.event === name && accepts(event));
        if (found) return found;
        const leftMs = deadline - Date.now();
        if (leftMs <= 0) throw new Error(`no genuine ${name} came within ${patienceMs / 1000} s`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function verify(header: string, raw: Buffer, secret: string): boolean {
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (!seconds || !digest) return false;
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(raw).digest();
  return timingSafeEqual(expected, Buffer.from(digest, 'hex'));
}
