import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PublicHttp } from '../../../clients/public-http.ts';
import { meetStrangers } from './strangers.ts';

export const PAGE_LIMIT = 614_400;
export const HTML = { 'content-type': 'text/html; charset=utf-8' };

type Get = Parameters<PublicHttp['get']>[1];

/** Asks for a page. */
export const request = (changes: Partial<Get> = {}): Get => ({
  headers: { accept: 'text/html' },
  types: ['text/html', 'application/xhtml+xml'],
  limitBytes: PAGE_LIMIT,
  ...changes,
});

/** Web servers of strangers on this machine, and a client for their pages. */
export function meetSites() {
  const strangers = meetStrangers();

  async function serve(handler: RequestListener): Promise<string> {
    const server = createServer(handler);
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    strangers.closeLater({
      async close() {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  return {
    ...strangers,
    serve,
    serveBytes: strangers.serve,
    get: (address: string, changes: Partial<Get> = {}) =>
      strangers.client().get(address, request(changes)),
    servePage: (body: string | Buffer, headers: Record<string, string> = {}) =>
      serve((_, response) => response.writeHead(200, { ...HTML, ...headers }).end(body)),
    /** Redirects /4 to /3 and so on; / is a page. */
    serveChain: (toLocation: (left: number) => string = (left) => `/${left || ''}`) =>
      serve(({ url }, response) => {
        const left = Number(url!.slice(1));
        if (left === 0) return response.writeHead(200, HTML).end('arrived');
        return redirectTo(response, toLocation(left - 1));
      }),
  };
}

export const redirectTo = (response: ServerResponse, location: string, status = 302) =>
  response.writeHead(status, { location }).end();

type Stream = {
  destroyed: boolean;
  write(chunk: Buffer | string): boolean;
  on(event: 'drain', listener: () => void): unknown;
};

/** Writes the chunk again and again for as long as somebody reads. */
export function pour(stream: Stream, chunk: Buffer | string): void {
  const write = () => {
    while (!stream.destroyed && stream.write(chunk));
  };
  stream.on('drain', write);
  write();
}
