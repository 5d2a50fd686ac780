// What all senders of deliveries beside ours have in common.
import {
  envelopeHeaders,
  signatureHeader,
} from '../../../../domain/webhooks/deliveries/sign-delivery.ts';
import { serve } from './child-server.ts';

export type Message = { url: string; body: string };

/** Returns the seconds from the first to the last of so many. */
type Send = (message: Message, count: number) => Promise<number>;

const SECRET = 'whsec_of_the_reference_of_the_bench_0123456789abcdef';

export function signedHeaders(body: Buffer): Record<string, string> {
  const current = signatureHeader(SECRET, body, Math.floor(Date.now() / 1_000));
  return envelopeHeaders('purchase.completed', { current, previous: null });
}

export async function serveSends(send: Send): Promise<void> {
  await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const message = { url: searchParams.get('url')!, body: searchParams.get('body')! };
    send(message, Number(searchParams.get('count'))).then(
      (seconds) => response.end(JSON.stringify({ seconds })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}
