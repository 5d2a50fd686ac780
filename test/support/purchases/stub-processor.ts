import type { IncomingHttpHeaders } from 'node:http';
import { createProcessor } from '../../../clients/processor/processor.ts';
import { listen } from '../../../platform/http-server.ts';
import { WEBHOOK_SECRET } from './simulator.ts';

type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingHttpHeaders;
};
type HttpResponse = { status: number; body: object };

/** The adapter before a processor that answers what a test says, over real HTTP. */
export async function stubProcessor(answer: (asked: Asked) => HttpResponse) {
  const listener = await listen(
    async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      const { method = '', url = '', headers } = request;
      const { pathname: path, searchParams: query } = new URL(url, 'http://stub');
      const { status, body } = answer({ method, path, query, body: text, headers });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
    { hosts: ['127.0.0.1'], port: 0 },
  );
  const processor = createProcessor({
    kind: 'stripe',
    secretKey: 'sk_test_stub',
    webhookSecret: WEBHOOK_SECRET,
    apiUrl: `http://127.0.0.1:${listener.port}`,
  });
  return { processor, close: () => listener.close() };
}
