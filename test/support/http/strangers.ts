// Servers as strangers may run them: what they answer is bytes, not HTTP.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Resolve } from '../../../clients/name-resolver.ts';
import { createPublicHttp } from '../../../clients/public-http.ts';
import { createAddressPolicy } from '../../../domain/shared/public-address.ts';
import { RESPONSE_DEADLINE_MS } from '../../../domain/webhooks/deliveries/response-deadline.ts';

type ClientOptions = {
  deadlineMs?: number;
  servers?: string[];
  resolve?: Resolve;
  allowedNetworks?: string[];
};

type Closing = { close(): Promise<unknown> };

/** A client whose only reachable network is this machine, and servers for it to meet. */
export function meetStrangers() {
  const open: Closing[] = [];
  return {
    /** Names are looked up in `addresses`; anything else does not exist. */
    client(given: ClientOptions = {}) {
      const { allowedNetworks = ['127.0.0.0/8'], ...options } = given;
      const policy = createAddressPolicy({ allowedNetworks, isHttpAllowed: true });
      const client = createPublicHttp({ policy, deadlineMs: RESPONSE_DEADLINE_MS, ...options });
      open.push(client);
      return client;
    },
    /** Once the request has begun to come in, the socket is in the stranger's hands. */
    async serve(answer: (socket: Socket, request: string) => void) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('data', (request) => answer(socket, request.toString('latin1')));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      open.push({
        async close() {
          for (const socket of sockets) socket.destroy();
          await new Promise((resolve) => server.close(resolve));
        },
      });
      return { port: portOf(server), url: `http://127.0.0.1:${portOf(server)}/`, sockets };
    },
    /**
     * Listens and accepts nobody: its queue is full, so the system lets further ones wait. Once it
     * accepts, whoever waits is there when the system asks again, a second later.
     */
    async serveNobody() {
      const isAccepting = new Int32Array(new SharedArrayBuffer(4));
      const worker = new Worker(SILENT, { eval: true, workerData: isAccepting });
      const port = await new Promise<number>((resolve) => worker.once('message', resolve));
      const queued = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'));
      for (const socket of queued) socket.on('error', () => undefined);
      await new Promise((resolve) => queued[0]!.once('connect', resolve));
      open.push({
        async close() {
          for (const socket of queued) socket.destroy();
          await worker.terminate();
        },
      });
      const accept = () => {
        Atomics.store(isAccepting, 0, 1);
        Atomics.notify(isAccepting, 0);
      };
      return { port, url: `http://127.0.0.1:${port}/`, accept };
    },
    closeLater: (closing: Closing) => void open.push(closing),
    close: () => Promise.all(open.map((part) => part.close())),
  };
}

// A thread that stands still right after listening.
const SILENT = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\\r\\nconnection: close\\r\\n\\r\\n'));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(workerData, 0, 0));
  });`;

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}

/** A resolver of names that a test makes up, which remembers what it was asked. */
export function answerNames(names: Record<string, () => string[]>) {
  const asked: string[] = [];
  const resolve: Resolve = async (hostname) => {
    asked.push(hostname);
    const addresses = names[hostname]?.() ?? [];
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, asked };
}

export const message = () => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});
