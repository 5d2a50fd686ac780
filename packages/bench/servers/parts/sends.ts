// Deliveries as our dispatcher posts them, for the sender and the job queues beside it.
import { createPublicHttp, isSuccess } from '../../../../clients/public-http.ts';
import { createAddressPolicy } from '../../../../domain/shared/public-address.ts';
import {
  envelopeHeaders,
  signatureHeader,
} from '../../../../domain/webhooks/deliveries/sign-delivery.ts';
import { RESPONSE_DEADLINE_MS } from '../../../../domain/webhooks/deliveries/response-deadline.ts';

export type Message = { url: string; body: string };

/** What is asked of such a server, which answers with the seconds from the first to the last. */
export type Sends = { message: Message; count: number };

const SECRET = 'whsec_of_the_reference_of_the_bench_0123456789abcdef';

const http = createPublicHttp({
  deadlineMs: RESPONSE_DEADLINE_MS,
  policy: createAddressPolicy({ allowedNetworks: ['127.0.0.0/8'], isHttpAllowed: true }),
});

export function signedHeaders(body: Buffer): Record<string, string> {
  const current = signatureHeader(SECRET, body, Math.floor(Date.now() / 1_000));
  return envelopeHeaders('purchase.completed', { current, previous: null });
}

/** Counts from now on: `done` are the seconds until so many were posted; one that fails ends it. */
export function countPosts(count: number) {
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  let left = count;
  return {
    done,
    async post({ url, body: text }: Message): Promise<void> {
      const body = Buffer.from(text);
      const { statusCode } = await http.post(url, { headers: signedHeaders(body), body });
      if (!isSuccess(statusCode)) reject(new Error(`the receiver answered ${statusCode}`));
      left -= 1;
      if (left === 0) resolve((performance.now() - startedAt) / 1_000);
    },
  };
}
