// Deliveries as our dispatcher posts them, for job queues.
import { createPublicHttp, isSuccess } from '../../../../clients/public-http.ts';
import { createAddressPolicy } from '../../../../domain/shared/public-address.ts';
import { signedHeaders, type Message } from './sends.ts';

const http = createPublicHttp({
  policy: createAddressPolicy({ allowedNetworks: ['127.0.0.0/8'], isHttpAllowed: true }),
});

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
