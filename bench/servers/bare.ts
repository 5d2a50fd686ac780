// The references: a bare server that answers every request with one named prepared statement.
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { openOrderedPool, serve } from './order.ts';

type Statement = { name: string; text: string };

export async function serveStatement({ name, text }: Statement): Promise<void> {
  const pool = await openOrderedPool();
  await serve((request, response) => {
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    pool.query({ name, text, values: [hash('sha256', key, 'buffer')] }).then(
      ({ rows }) => answer(response, rows[0] ? 200 : 401, rows[0] ?? {}),
      (fault: Error) => answer(response, 500, { message: fault.message }),
    );
  });
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}
