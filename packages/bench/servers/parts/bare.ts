// The bare server that references and contestants share: a credential in, JSON out.
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { openOrderedPool, serve } from './child-server.ts';

type Statement = { name: string; text: string };

/** Returns null where the credential is no good. */
type HttpResponse = (credential: string) => Promise<object | null>;

/** One named prepared statement per request, given the hash of the credential. */
export async function serveStatement({ name, text }: Statement): Promise<void> {
  const pool = await openOrderedPool();
  await serveAnswers(async (key) => {
    const { rows } = await pool.query({ name, text, values: [hash('sha256', key, 'buffer')] });
    return rows[0] ?? null;
  });
}

export async function serveAnswers(answer: HttpResponse): Promise<void> {
  await serve((request, response) => {
    const credential = request.headers.authorization?.slice('Bearer '.length) ?? '';
    answer(credential).then(
      (found) => send(response, found ? 200 : 401, found ?? {}),
      (error: Error) => send(response, 500, { message: error.message }),
    );
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}
