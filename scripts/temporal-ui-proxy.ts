// `temporal-ui-proxy` of docker-compose.yml. Temporal's pages have no sign-in and answer under any
// name: a page elsewhere whose name leads to the loopback address (DNS rebinding) could read them and
// send Updates. So only requests for the names of this machine reach them.
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readTemporalUiConfig } from '../platform/config.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const PORT = 8080;

/** Forwards requests whose `Host`, and `Origin` where there is one, is this machine or the name. */
export function createUiProxy({ target, name }: { target: string; name: string }): Server {
  const names = new Set([...LOOPBACK, name]);
  return createServer(async (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (!url.startsWith('/') || !isAllowed(incoming, names)) {
      outgoing.writeHead(421, { 'content-type': 'text/plain' });
      return void outgoing.end(`Temporal's pages answer only as ${[...names].join(', ')}.\n`);
    }
    const forwarded = request(new URL(target).origin + url, { method, headers });
    outgoing.once('close', () => forwarded.destroy());
    forwarded.once('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    forwarded.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      pipeline(response, outgoing).catch(() => outgoing.destroy());
    });
    await pipeline(incoming, forwarded).catch(() => forwarded.destroy());
  });
}

function isAllowed({ headers }: IncomingMessage, names: ReadonlySet<string>): boolean {
  const { host = '', origin } = headers;
  const isNamed = (url: string) => names.has(URL.parse(url)?.hostname ?? '');
  return isNamed(`http://${host}`) && (origin === undefined || isNamed(origin));
}

if (import.meta.main) {
  const proxy = createUiProxy(readTemporalUiConfig());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      proxy.close();
      proxy.closeAllConnections();
    });
  }
  proxy.listen(PORT);
}
