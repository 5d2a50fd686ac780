import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** The first message to a server. It comes over the channel, so no password stands on a command line. */
export type Order = { databaseUrl: string; temporalAddress: string };

export type Reply = { answer: unknown } | { fault: string };

const POOL_SIZE = 20;

process.on('disconnect', () => process.exit());

export async function readOrder(): Promise<Order> {
  const [order] = (await once(process, 'message')) as [Order];
  return order;
}

export async function openOrderedPool(options?: string): Promise<pg.Pool> {
  const { databaseUrl } = await readOrder();
  return new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    ...(options && { options }),
  });
}

/** Answers what is asked over the channel; a server with an order reads that first. */
export function answerQuestions<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', (question: Question) => {
    answer(question)
      .then((value): Reply => ({ answer: value }))
      .catch((error: Error): Reply => ({ fault: error.stack ?? error.message }))
      .then((reply) => process.send?.(reply));
  });
  process.send?.('ready');
}

export async function serve(handler: RequestListener): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.({ port: (server.address() as AddressInfo).port });
}
