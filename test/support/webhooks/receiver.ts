import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isSignedBy } from '../../../dev/demo/receiver.ts';
import { listen } from '../../../platform/http-server.ts';

export { isSignedBy };

type Hit = {
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
  receivedAt: Date;
  /** The signature over the raw bytes is right and fresh, checked with node:crypto only. */
  isSigned: boolean;
};

/** A status to answer with, `slow` for a 200 after a while, or `hang` to never answer. */
export type HttpResponse = number | 'slow' | 'hang';

const SLOW_MS = 300;

export type Receiver = {
  url: string;
  secret: string;
  hits: Hit[];
  /** Answered one after the other; the last one stays. */
  answers: HttpResponse[];
  close(): Promise<void>;
};

/** A webhook endpoint as an integrator would write it, without a line of ours. */
export async function startReceiver(): Promise<Receiver> {
  const secret = 'whsec_of_the_test_receiver';
  const hits: Hit[] = [];
  const listener = await listen(
    async (request, response) => {
      const rawBody = Buffer.concat(await request.toArray());
      const { url = '', headers } = request;
      const signature = headers['service-signature']?.toString();
      const isSigned = isSignedBy(secret, { rawBody, signature });
      hits.push({ path: url, headers, rawBody, receivedAt: new Date(), isSigned });
      const [answer] =
        receiver.answers.length > 1 ? receiver.answers.splice(0, 1) : receiver.answers;
      if (answer === 'hang' || answer === undefined) return;
      if (answer === 'slow') await pause(SLOW_MS);
      const status = answer === 'slow' ? 200 : answer;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`answer ${status}`);
    },
    { hosts: ['127.0.0.1'], port: 0 },
  );
  const receiver: Receiver = {
    url: `http://127.0.0.1:${listener.port}/hook`,
    secret,
    hits,
    answers: [200],
    async close() {
      for (const server of listener.servers) server.closeAllConnections();
      await listener.close();
    },
  };
  return receiver;
}
